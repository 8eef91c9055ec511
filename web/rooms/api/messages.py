"""Sentences of the rooms, for the browser, which fills in the names in braces."""

from web.language import _, cached_per_language


@cached_per_language
def classroom_messages() -> dict[str, str]:
    """Return the sentences of the bar, the question and the teacher's form, by key."""
    return _common_messages() | {
        # the bar
        "following": _("following the teacher"),
        "no_view": _("the teacher has shown nothing yet"),
        "free": _("on your own"),
        "locked": _("the teacher keeps everyone together"),
        "break_away": _("Break away"),
        "rejoin": _("Follow again"),
        "ask": _("Ask"),
        "lock": _("Keep everyone here"),
        "unlock": _("Let everyone go"),
        "desk": _("Room page"),
        # the question
        "your_number": _("Your number"),
        "send": _("Send my answer"),
        "answer_none": _("Choose, then send: one answer each."),
        "answer_waiting": _("Kept in this browser; it is sent as soon as the network is back."),
        "answer_arrived": _("Your answer has arrived."),
        "answer_late": _("Your answer came too late: the question was closed."),
        "own": _("Your answer: {answer}."),
        "own_right": _("Your answer is right: {answer}."),
        "own_none": _("You did not answer."),
        "answered": _("Answers: {count}. Connected: {all}."),
        "reveal": _("Reveal"),
        "again": _("Vote again"),
        "close": _("Close"),
        "test": _("Test it: switch that off"),
        "back_to_page": _("Back to the page"),
        # the teacher's form
        "ask_title": _("A question about this view"),
        "kind": _("Kind"),
        "model": _("Model"),
        "left": _("{model}, left"),
        "right": _("{model}, right"),
        "query": _("From (query)"),
        "key": _("To (key)"),
        "row": _("Row"),
        "column": _("Column"),
        "options": _("What there is to choose from, one a line; what is right begins with *"),
        "value": _("True value"),
        "tolerance": _("Tolerance"),
        "prompt": _("Question"),
        "keep": _("Keep for later"),
        "cancel": _("Cancel"),
        "prompt_token": _("Where will “{query}” look in {head}?"),
        "prompt_head": _("Which head links “{query}” to “{key}”?"),
        "prompt_layer": _("In which layer is “{query}” linked to “{key}” most?"),
        "prompt_choice": "",
        "prompt_number": "",
        "prompt_cell": _("What stands in row {query}, column {key}?"),
    }


def page_messages() -> dict[str, str]:
    """Return the sentences of the Classroom page, by key."""
    return _common_messages() | {
        "code": _("Code"),
        "join": _("Join"),
        "join_title": _("Join a room"),
        "join_words": _("Type the code that your teacher shows. No account, no name."),
        "open": _("Open a room"),
        "open_title": _("Teach"),
        "open_words": _(
            "Everybody's device follows your view, and you ask questions that the model answers. "
            "The room ends after a day, or when you end it."
        ),
        "student_words": _(
            "You are in. The teacher's view comes by itself; the strip below says how things are."
        ),
        "go_to": _("Go to {address} and type"),
        "qr": _("QR code of the room"),
        "copied": _("Link copied"),
        "copy_students": _("Copy the students' link"),
        "copy_teacher": _("Copy the teacher's link"),
        "teacher_secret": _(
            "Whoever has the teacher's link leads the room: it brings another device of yours "
            "along, and is for nobody else."
        ),
        "results": _("Results as CSV"),
        "end": _("End the room"),
        "end_sure": _("End the room for everybody? The results stay for a week."),
        "ended_title": _("Room {code} has ended"),
        "leave_for_good": _("Put it away"),
        "summary_words": _("Students: {students}. Questions: {questions}."),
        # the list of saved questions
        "prepared_title": _("Prepared questions"),
        "prepared_words": _(
            "They stay in this browser. In a room, “Ask” on any page of Headlight makes one of "
            "what is shown, to be kept for later."
        ),
        "look": _("Show its view"),
        "up": _("Move question {number} up"),
        "down": _("Move question {number} down"),
        "remove": _("Remove question {number}"),
        "save_file": _("Save as a file"),
        "open_file": _("Open a file"),
        "share": _("Copy as a link"),
        "questions_added": _("{count} questions were added to the list."),
        "questions_none": _("There are no questions of Headlight in it."),
    }


def _common_messages() -> dict[str, str]:
    return {
        "room": _("Room {code}"),
        "leave": _("Leave"),
        "connected": _("{count} connected"),
        "ask_now": _("Ask now"),
        "summary": _("Summary"),
        "line_connecting": _("connecting …"),
        "line_connected": _("connected"),
        "line_away": _("no connection: trying again"),
        "line_refused": _("this room does not know this browser: join again"),
        "line_ended": _("the room has ended"),
        "error_away": _("The server cannot be reached just now."),
        "error_unknown": _("There is no room with this code."),
        "error_ended": _("This room has ended."),
        "error_closed": _("The question is closed."),
        "error_forbidden": _("This browser is not the teacher of this room."),
        "error_too_many": _("Too many at once: try again in a moment."),
        "error_off": _("Rooms are switched off on this server."),
        "error_database": _("The server's database does not answer: try again in a moment."),
        "error_other": _("That did not work."),
        "kind_token": _("Token"),
        "kind_head": _("Head"),
        "kind_layer": _("Layer"),
        "kind_number": _("Number"),
        "kind_choice": _("One of several"),
        "vote": _("Vote {count}"),
        "right": _("right"),
        "chosen_by": _("{what}: chosen by {count}"),
        "others": _("And {count} other answers."),
        "legend_token": _(
            "Above: how many of the class. Below: the weights of {model}, darkest {top}."
        ),
        "legend_head": _(
            "Dots: how many of the class. Colour: the weights of {model}, darkest {top}."
        ),
        "legend_layer": _(
            "First bar: how many of the class. Second: {model}, the mean weight over the heads of "
            "the layer; longest {top}."
        ),
        "legend_number": _("True: {value}. Right is what lies within {near}."),
        "legend_opinion": _("An opinion was asked for: no answer is wrong."),
        "scene_token": _("{model}, head {head}: where does “{token}” look?"),
        "scene_head": _("{model}: from “{query}” to “{key}”."),
        "scene_layer": _("{model}: from “{query}” to “{key}”, mean over the heads of a layer."),
        "task_scaled_scores": _(
            "Scaled scores QKᵀ / {divisor}, before any mask: row {row}, column {column}, both "
            "counted from 0."
        ),
        "task_weights": _(
            "Weights: softmax of QKᵀ / {divisor} along each row. Row {row}, column {column}, both "
            "counted from 0."
        ),
        "task_context": _(
            "Context: softmax(QKᵀ / {divisor}) times V. Row {row}, column {column}, both counted "
            "from 0."
        ),
        "mask_causal": _("Causal mask: query i sees the keys 0 to i."),
        "mask_padding": _("The last key is padding: no query sees it."),
        "decimals": _("{count} decimals."),
    }
