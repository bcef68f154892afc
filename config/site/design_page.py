"""The page that shows every component, with sample content and no database."""

from datetime import UTC, datetime, timedelta

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

EVERYONE = {
    "kind": "organisation",
    "label": "Everyone in Halyard",
    "sentence": "All 48 people in Halyard can read this",
}
DESIGN = {"kind": "group", "label": "Design", "sentence": "12 people in Design can read this"}
CHOSEN_PEOPLE = {
    "kind": "explicit",
    "label": "Ada, Jonas and 2 more",
    "sentence": "4 people can read this, whom Ada chose",
}
ONLY_ME = {"kind": "member", "label": "Only you", "sentence": "Only you can read this"}
ROBOT_NOTES = {
    "kind": "robot",
    "label": "Robots’ notes",
    "sentence": "Only the Launch assistant reads this, no person",
}
AUDIENCES = [EVERYONE, DESIGN, CHOSEN_PEOPLE, ONLY_ME, ROBOT_NOTES]

READERS = {
    **DESIGN,
    "names": ["Ada Okafor", "Jonas Weber", "Mei Tanaka", "Priya Nair"],
    "more": 8,
    "url": "#readers",
}

SAMPLE_MEMORIES = [
    ("The spring launch moved to 12 May because the packaging supplier needs another two weeks.", EVERYONE, "Ada Okafor", "Launch assistant", "Announcement", 0.92),
    ("Jonas prefers written briefs over calls, and answers them the same morning if they fit on one page.", DESIGN, "Mei Tanaka", "Ada’s assistant", "Preference", 0.71),
    ("Refunds above 200 euros need a second signature from finance; below that support decides alone and notes the reason in the ticket. Partial refunds count towards the limit.", EVERYONE, "Priya Nair", "Support scribe", "Policy", 0.84),
    ("I am allergic to hazelnuts, so team lunches should be somewhere that can say what is in the food.", ONLY_ME, "You", "Ada’s assistant", "About me", 0.55),
    ("The salary band for the new design lead is agreed; Tomás writes the offer on Monday.", CHOSEN_PEOPLE, "Ada Okafor", "", "Decision", 0.64),
    ("Questions about invoices in #support usually mean the PDF, not the amount.", ROBOT_NOTES, "", "Support scribe", "Interaction", 0.31),
    ("Customers in Norway read “delivery” as the moment the parcel reaches the pick-up point.", DESIGN, "Tomás Rivera", "Research crawler", "Customer knowledge", 0.47),
]  # fmt: skip

DIFF = [
    {"op": "same", "text": "The spring launch"},
    {"op": "del", "text": "is on 28 April"},
    {"op": "ins", "text": "moved to 12 May because the packaging supplier needs another two weeks"},
    {"op": "same", "text": "and the press hears of it one week before."},
]

PALETTE = ["surface-0", "surface-1", "surface-2", "surface-3", "text-1", "text-2", "text-3", "line", "accent", "good", "warn", "bad"]  # fmt: skip


class SampleForm(forms.Form):
    content = forms.CharField(
        label="What should be remembered?",
        widget=forms.Textarea(attrs={"class": "memory-input", "rows": 4}),
    )
    category = forms.ChoiceField(
        choices=[("fact", "Fact"), ("preference", "Preference"), ("policy", "Policy")]
    )
    importance = forms.ChoiceField(
        widget=forms.RadioSelect,
        choices=[("low", "Low"), ("normal", "Normal"), ("high", "High")],
        help_text="High ones fade more slowly and are found first.",
        initial="normal",
    )
    email = forms.EmailField(
        label="E-mail address", help_text="We write to it only when you ask us to."
    )
    day = forms.DateField(widget=forms.DateInput(attrs={"type": "date"}))
    moment = forms.DateTimeField(widget=forms.DateTimeInput(attrs={"type": "datetime-local"}))
    room = forms.IntegerField(label="Room")
    words = forms.CharField(
        widget=forms.TextInput(attrs={"type": "search", "placeholder": "Part of a name"})
    )
    file = forms.FileField()
    scopes = forms.MultipleChoiceField(
        label="What may it do?",
        widget=forms.CheckboxSelectMultiple,
        choices=[("read", "Recall memories"), ("write", "Remember new things"), ("act", "Act for a person in a group both belong to")],
    )  # fmt: skip
    keep = forms.BooleanField(
        label="Keep me signed in", help_text="For 30 days on this computer.", required=False
    )


def memories(now: datetime) -> list[dict]:
    """The sample memories as rows, the newest first."""
    ages = [timedelta(minutes=12), timedelta(hours=3), timedelta(days=1), timedelta(days=4), timedelta(days=11), timedelta(days=40), timedelta(days=400)]  # fmt: skip
    rows = [
        {
            "id": str(number),
            "url": f"#memory-{number}",
            "content": content,
            "audience": audience,
            "said_by": said_by,
            "robot": robot,
            "learned_at": now - age,
            "category": category,
            "strength": strength,
            "edit_url": "#edit",
            "forget_url": "#forget",
        }
        for number, ((content, audience, said_by, robot, category, strength), age) in enumerate(
            zip(SAMPLE_MEMORIES, ages, strict=True), start=1
        )
    ]
    rows[1]["status"] = {"label": "In review", "tone": "warn"}
    return rows


def versions(now: datetime) -> list[dict]:
    """Three versions of one memory, the newest first."""
    return [
        {"number": 3, "at": now - timedelta(hours=3), "who": "Ada Okafor", "reason": "the supplier called", "diff": DIFF, "current": True},
        {"number": 2, "at": now - timedelta(days=2), "who": "Jonas Weber", "robot": "Launch assistant", "diff": [{"op": "same", "text": "The spring launch is on"}, {"op": "del", "text": "21 April"}, {"op": "ins", "text": "28 April"}, {"op": "same", "text": "and the press hears of it one week before."}], "restore_url": "#restore"},
        {"number": 1, "at": now - timedelta(days=19), "robot": "Launch assistant", "reason": "first heard in #launch", "diff": [], "restore_url": "#restore"},
    ]  # fmt: skip


def charts() -> list[dict]:
    """One chart of each kind."""
    days = [f"{day} May" for day in range(1, 25)]
    grown = [
        12,
        18,
        9,
        4,
        3,
        22,
        31,
        28,
        25,
        30,
        8,
        6,
        27,
        35,
        41,
        38,
        33,
        9,
        11,
        44,
        40,
        52,
        47,
        49,
    ]
    found = [
        71,
        70,
        72,
        74,
        73,
        73,
        76,
        75,
        78,
        77,
        79,
        79,
        80,
        78,
        82,
        81,
        83,
        82,
        84,
        84,
        83,
        86,
        85,
        87,
    ]
    return [
        {"kind": "columns", "title": "New memories", "sentence": "Twice as many as three weeks ago", "max": 60, "unit": "memories", "csv_url": "#csv", "values": [{"label": label, "value": value} for label, value in zip(days, grown, strict=True)]},
        {"kind": "line", "title": "Questions answered", "sentence": "87 of 100, slowly rising", "max": 100, "unit": "of 100", "csv_url": "#csv", "values": [{"label": label, "value": value} for label, value in zip(days, found, strict=True)]},
        {"kind": "bars", "title": "Who may read them", "sentence": "Most are the whole organisation’s", "max": 640, "unit": "memories", "first_column": "Audience", "csv_url": "#csv", "values": [{"label": "Everyone", "value": 612, "audience": "organisation"}, {"label": "Groups", "value": 388, "audience": "group"}, {"label": "Some people", "value": 74, "audience": "explicit"}, {"label": "One person", "value": 131, "audience": "member"}, {"label": "Robots’ notes", "value": 203, "audience": "robot"}]},
    ]  # fmt: skip


def sample_context(now: datetime) -> dict:
    """Everything the page shows."""
    broken = SampleForm({"content": "", "category": "fact", "email": "ada@halyard"})
    broken.is_valid()
    rows = memories(now)
    return {
        "palette": PALETTE,
        "audiences": AUDIENCES,
        "choices": [{**audience, "value": audience["kind"], "checked": audience is DESIGN} for audience in AUDIENCES[:4]],
        "readers": READERS,
        "memories": rows,
        "form": SampleForm(),
        "broken": broken,
        "diff": DIFF,
        "versions": versions(now),
        "charts": charts(),
        "source": {"text": "Packaging called: two more weeks. So not the 28th, let us say 12 May and tell press on the 5th.", "said_by": "Ada Okafor", "group": "#launch", "at": now - timedelta(hours=3), "robot": "Launch assistant", "url": "#conversation"},
        "tabs": [{"label": "About me", "url": "#all", "current": True, "count": 41}, {"label": "By me", "url": "#by", "count": 17}, {"label": "Shared", "url": "#shared", "count": 12}, {"label": "Forgotten", "url": "#forgotten", "count": 3}],
        "filters": [{"name": "audience", "label": "Who may read", "options": [{"value": "group", "label": "Design", "selected": True}, {"value": "me", "label": "Only you"}]}, {"name": "category", "label": "Category", "options": [{"value": "policy", "label": "Policy"}]}, {"name": "robot", "label": "Robot", "options": [{"value": "1", "label": "Launch assistant"}]}],
        "bulk_actions": [{"label": "Change who may read", "url": "#share"}, {"label": "Forget", "url": "#forget", "caution": True}],
        "page": {"previous_url": "", "next_url": "#older", "about": "About 104,000 memories"},
        "code": "curl -H 'Authorization: Bearer cm_live_7Qd2…' \\\n  https://memory.example/api/v1/recall \\\n  -d '{\"query\": \"When is the launch?\"}'",
        "stats": [{"label": "Memories", "value": "1,408", "change": "212 new this week"}, {"label": "Waiting for review", "value": "11", "change": "the oldest for 2 days", "tone": "bad"}, {"label": "Questions answered", "value": "87", "unit": "of 100", "change": "3 more than last week", "tone": "good"}, {"label": "Robots at work", "value": "4", "unit": "of 6", "change": "two are silent since Friday"}],
    }  # fmt: skip


def design(request: HttpRequest) -> HttpResponse:
    """Show every component."""
    return render(request, "design/index.html", sample_context(datetime.now(UTC)))
