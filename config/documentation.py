"""The API's documentation in the browser, from files that come with the product.

Swagger's page needs one exception of the content security policy: its own stylesheet is written
into the page. Scripts stay without exception: they come from addresses of this site alone.
"""

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.utils.decorators import method_decorator
from drf_spectacular.views import SpectacularSwaggerSplitView


@method_decorator(csp_update({"style-src": [SELF, UNSAFE_INLINE]}), name="dispatch")
class DocumentationView(SpectacularSwaggerSplitView):
    """Swagger UI over /api/v1/schema."""
