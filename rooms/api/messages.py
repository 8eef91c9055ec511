"""Sentences of the rooms, for the browser, which fills in the names in braces."""

from web.language import _, cached_per_language


@cached_per_language
def classroom_messages() -> dict[str, str]:
    """Return the sentences of every page: the bar, the question, the teacher's form."""
    return {
        "room": _("Room {code}"),
        "leave": _("Leave"),
        "lesson_title": _("Lesson"),
        "joined": _("{count} joined"),
        "one_step": _("Step {first} of {steps}"),
        "every_step": _("All {steps} steps"),
        "line_connected": _("connected"),
        "line_away": _("no connection, reconnecting"),
        "line_refused": _("this browser is not in the room: join again"),
        "line_ended": _("This room has ended."),
        "error_away": _("The server does not respond. Try again in a moment."),
        "error_storage": _(
            "This browser does not let the page store anything. Allow cookies for this site and "
            "try again."
        ),
        "error_unknown": _("There is no room with this code."),
        "error_ended": _("This room has ended."),
        "error_closed": _("The question is closed."),
        "error_forbidden": _("Only the teacher of this room can do this."),
        "error_too_many": _("Too many requests. Try again later."),
        "error_full": _("No more students, questions or votes fit. Open another room."),
        "error_other": _("This did not work. Try again."),
        # the bar
        "following": _("following the teacher"),
        "ask": _("Ask"),
        "apart": _("Work on your own now. Nobody follows the teacher."),
        "mode": _("Students"),
        "mode_follow": _("Follow"),
        "mode_free": _("Free"),
        "progress": _("{count} of {all} answered"),
        "step_back": _("Back to the step before"),
        "step_on": _("Open the next step"),
        "desk": _("Room page"),
        # the question
        "your_number": _("Your number"),
        "send": _("Send answer"),
        "answer_none": _(
            "You can answer once. If the teacher stops before you send, the word you chose counts."
        ),
        "answer_waiting": _("Saved in this browser. It is sent when the connection is back."),
        "answer_arrived": _("The server has your answer."),
        "answer_late": _("The question is closed."),
        "answer_refused": _("This is not a number. Type one such as 0.5 or 1000, without a comma."),
        "own": _("Your answer: {answer}."),
        "own_right": _("Your answer is right: {answer}."),
        "own_none": _("You did not answer."),
        "to_question": _("Back to the question"),
        "look_page": _("Look at the page"),
        "stop": _("Stop answers"),
        "stopped": _("The teacher has stopped the answers."),
        "private": _("For you only: the answers"),
        "reveal": _("Reveal"),
        "close": _("Close"),
        "again": _("Vote again"),
        "kind_token": _("Token"),
        "kind_head": _("Head"),
        "kind_number": _("Number"),
        "kind_choice": _("Multiple choice"),
        "vote": _("Vote {count}"),
        "right": _("right"),
        "legend_left": _("Violet: students. Orange: {model}'s weights; the strongest is {top}."),
        "legend_right": _("Violet: students. Blue: {model}'s weights; the strongest is {top}."),
        "share_right": _("Right: {right} of {all} answers ({percent})."),
        "right_is": _("Right: {answers}."),
        "comma": _(", "),
        "near_ties": _("A weight within 0.01 of the largest is right, too."),
        "shown_words": _("Word pieces are merged."),
        "shown_hide": _("Special tokens are hidden: rows sum to less than 1."),
        "shown_renormalise": _("Special tokens are hidden, and rows are scaled to sum to 1."),
        "near": _("Weights are from 0 to 1; an answer within {near} is right."),
        # the teacher's form
        "ask_title": _("Ask about a view"),
        "kind": _("Kind"),
        "query": _("From (query)"),
        "key": _("To (key)"),
        "options": _("Options, one per line. Begin the right ones with *"),
        "prompt": _("Question"),
        "cancel": _("Cancel"),
        "prompt_token": _("What does “{query}” attend to in {model}'s {head}?"),
        "prompt_head": _("Which head of {model} links “{query}” to “{key}”?"),
        "prompt_number": _(
            "How large is the weight from “{query}” to “{key}” in {model}'s {head}?"
        ),
    }


def page_messages() -> dict[str, str]:
    """Return the sentences of the Classroom page, by key."""
    return classroom_messages() | {
        "code": _("Room code"),
        "join": _("Join"),
        "join_title": _("Join a room"),
        "join_words": _("Type your teacher's code. You need no account and give no name."),
        "open": _("Open a room"),
        "open_title": _("Teach"),
        "open_words": _("Students' devices follow your view, and the model checks their answers."),
        "student_words": _("You have joined. Your page follows the teacher's view."),
        "go_to": _("Go to {address} and type the code"),
        "qr": _("QR code of the room"),
        "copied": _("Link copied."),
        "copy_students": _("Copy the students' link"),
        "copy_teacher": _("Copy the teacher's link"),
        "teacher_secret": _("The teacher's link is for your own devices: it controls the room."),
        "results": _("Results as CSV"),
        "end": _("End the room"),
        "end_sure": _("End the room for everyone? The results stay for a week."),
        "delete": _("Delete its data now"),
        "delete_sure": _(
            "Delete room {code} with all questions and answers? There is no way back."
        ),
        # the lesson
        "lesson_start": _("Start"),
        "show_lesson": _("Show the lesson"),
        "lesson_end": _("End the lesson"),
        "step_answers": _("Step {step}. Answers: {answered}. Right: {right}."),
        "all_steps": _("Open all steps"),
    }
