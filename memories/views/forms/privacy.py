"""What people type about what is kept about them."""

from django import forms

from memories.privacy.my_memories import VIEWS


class MineForm(forms.Form):
    """Which of my memories."""

    show = forms.ChoiceField(required=False, choices=[(view, view) for view in VIEWS])
    before = forms.UUIDField(required=False)


class TrustForm(forms.Form):
    robot = forms.UUIDField()
