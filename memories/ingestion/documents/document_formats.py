"""The formats of documents by name, for the service and the process that reads them."""

from collections.abc import Mapping

PDF, DOCX, HTML, MARKDOWN = "pdf", "docx", "html", "markdown"
LABELS: Mapping[str, str] = {
    PDF: "PDF",
    DOCX: "Word (DOCX)",
    HTML: "HTML",
    MARKDOWN: "Markdown",
}
ENDINGS = {
    PDF: (".pdf",),
    DOCX: (".docx",),
    HTML: (".html", ".htm"),
    MARKDOWN: (".md", ".markdown"),
}
