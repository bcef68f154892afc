// Everything here improves pages that work without it.
import "./theme.js";
import "./menu.js";
import "./dialog.js";
import "./toast.js";
import "./forms.js";
import "./panel.js";
import "./acts.js";
import "./columns.js";
import "./readers.js";
import "./select.js";
import "./copy.js";
import "./fill.js";
import "./count.js";
import "./undo.js";
import "./keys.js";
import "./follow.js";
import "./palette.js";
