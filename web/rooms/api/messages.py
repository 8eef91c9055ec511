"""Sentences of the rooms, for the browser, which fills in the names in braces."""

from web.language import _, cached_per_language


@cached_per_language
def classroom_messages() -> dict[str, str]:
    """Return the sentences of the bar, the question and the teacher's form, by key."""
    return _common_messages() | {
        # the bar
        "following": _("following the teacher"),
        "no_view": _("waiting for the teacher's first view"),
        "free": _("on your own"),
        "locked": _("the teacher has locked the view"),
        "break_away": _("Stop following"),
        "rejoin": _("Follow again"),
        "ask": _("Ask"),
        "own_asked": _("The teacher shows another view. It replaces yours."),
        "own_go": _("Go to the teacher's view"),
        "own_stay": _("Stay here"),
        "own_sentence": _("Back to your sentence"),
        "own_page": _("Back to your page"),
        "apart": _("Work on your own now. Nobody follows the teacher."),
        "apart_all": _("Everybody on your own"),
        "together": _("Bring all back"),
        "note": _("Note from your teacher: {note}"),
        "to_lesson": _("Go to the lesson"),
        "to_steps": _("Everybody back to the lesson"),
        "ask_next": _("Ask question {number} of {count}"),
        "private": _("Only you see this page."),
        "show_all": _("Show to all"),
        "to_class": _("Back to the class's page"),
        "collect": _("Collect"),
        "collected": _("Collected on the room page."),
        "to_comparison": _("Back to the comparison"),
        "compared": _("Side by side"),
        "lock": _("Lock the view"),
        "unlock": _("Unlock the view"),
        "desk": _("Room page"),
        # the question
        "your_number": _("Your number"),
        "send": _("Send answer"),
        "answer_none": _("Choose an answer and send it. You can answer once."),
        "answer_waiting": _("Saved in this browser. It is sent when the connection is back."),
        "answer_arrived": _("The server has your answer."),
        "answer_late": _("Too late: the question was closed."),
        "answer_refused": _("The server cannot read this answer. Change it and send it again."),
        "own": _("Your answer: {answer}."),
        "own_right": _("Your answer is right: {answer}."),
        "own_none": _("You did not answer."),
        "answered": _("Answers: {count}. Connected: {all}."),
        "question_closed": _("The teacher has closed the question."),
        "to_question": _("Back to the question"),
        "look_page": _("Look at the page"),
        "stop": _("Stop answers"),
        "stopped": _("The teacher has stopped the answers."),
        "split": _("Between 30 and 70 % are right: let neighbours discuss, then vote again."),
        "show_votes": _("Show the votes"),
        "hide_votes": _("Hide the votes"),
        "key_hint": _("Key {key}"),
        "reveal": _("Reveal"),
        "again": _("Vote again"),
        "test": _("See what changes without it"),
        "back_to_page": _("Back to the page"),
    }


def page_messages() -> dict[str, str]:
    """Return the sentences of the Classroom page, by key."""
    return _common_messages() | {
        "code": _("Code"),
        "join": _("Join"),
        "join_title": _("Join a room"),
        "join_words": _(
            "Type the code that your teacher shows. You need no account and give no name."
        ),
        "open": _("Open a room"),
        "open_title": _("Teach"),
        "open_words": _(
            "Your students' devices follow your view, and you ask questions that the model "
            "answers. The room ends after a day, unless you choose another end."
        ),
        "student_words": _(
            "You have joined. Your page follows the teacher's view. The bar of the room shows "
            "the connection."
        ),
        "go_to": _("Go to {address} and type"),
        "qr": _("QR code of the room"),
        "copied": _("Link copied"),
        "copy_students": _("Copy the students' link"),
        "copy_teacher": _("Copy the teacher's link"),
        "teacher_secret": _(
            "The teacher's link opens the room on your other devices. Keep it secret: it "
            "controls the room."
        ),
        "results": _("Results as CSV"),
        "save_all": _("Save all data"),
        "open_until": _("Open until"),
        "set_end": _("Set the end"),
        "until": _("The room is open until {time}."),
        "bad_end": _("Choose a time within the next 30 days."),
        "end": _("End the room"),
        "end_sure": _("End the room for everyone? The results stay for a week."),
        "ended_title": _("Room {code} has ended"),
        "enter": _("Open"),
        "taught_title": _("Rooms that you have opened"),
        "delete": _("Delete its data now"),
        "delete_sure": _(
            "Delete room {code} with all its questions and answers? Nobody can bring them back."
        ),
        "shut": _("Let nobody new join"),
        "admit": _("Let new students join"),
        "shut_words": _("The code does not admit anybody new. Students who have joined stay."),
        "summary_words": _("Students: {students}. Questions: {questions}."),
        "own_name": _("Your name for the teacher (optional)"),
        "send_name": _("Send"),
        "name_stored": _("Your teacher can see this name. An empty one deletes it."),
        # the lesson
        "lesson_title": _("Lesson"),
        "lesson_words": _(
            "Work through a lesson together. You open its steps, and see every student's answers."
        ),
        "lesson_start": _("Start"),
        "lesson_add": _("Add a lesson file"),
        "lesson_help": _(
            "A lesson file of your own (TOML) must have right links, numbers and answers. Only "
            "this room has it, and it is deleted with the room."
        ),
        "lesson_added": _("Added the lesson “{title}”. Select Start to open it on every device."),
        "lesson_large": _("The file is too large for a lesson: at most {count} characters."),
        "lessons_course": _("The course"),
        "lessons_own": _("Lessons of this room"),
        "lesson_end": _("End the lesson"),
        "plan_away": _("The class follows your page now."),
        "first_step": _("from step"),
        "last_step": _("to step"),
        "all_steps": _("Open all steps"),
        "work_csv": _("Answers as CSV"),
        "gains_title": _("Compare the tests before and after"),
        "gains_words": _(
            "Give Test A before the lessons and Test B after them. Add the file “Answers as CSV” "
            "of an earlier room. The gain is the share of the wrong answers that became right "
            "(Hake 1998). Discrimination is the correlation with the rest of the test, from ten "
            "students on. The files “Statistics of the questions as CSV” of several classes are "
            "pooled. No study has validated the questions yet."
        ),
        "gains_file": _("Add files of other rooms"),
        "gains_refused": _(
            "{file} is not used. It must be “Answers as CSV” or “Statistics of the questions as "
            "CSV”, and each row must be valid. Add the file as this page saved it."
        ),
        "gains_csv": _("Comparison as CSV"),
        "items_consent": _("The class agreed that its answers are used to check these questions."),
        "items_csv": _("Statistics of the questions as CSV"),
        "gains_none": _("Nobody has answered a test yet."),
        "gains_concept": _("Concept"),
        "gains_right": _("right"),
        "gains_students": _("students"),
        "gains_discrimination": _("discrimination"),
        "gains_gain": _("Gain"),
        "gains_test": _("Test"),
        "gains_error": _("documented error"),
        "gains_classes": _("classes"),
        "pooled_title": _("The questions in all classes"),
        "pooled_words": _(
            "From the files “Statistics of the questions as CSV”. Students are added. Shares are "
            "means by the number of students, and so is the discrimination, over the classes that "
            "have one."
        ),
        "pooled_csv": _("Pooled statistics as CSV"),
        "by_need": _("Most help needed first"),
        "with_names": _("Show the names that students gave"),
        "work_name": _("Answers of the students"),
        "work_words": _(
            "Select a student to open their page, or an answer to see who gave it. ✓ is right, "
            "◐ was shown by the lesson, … is open. ⚑ is a documented error of learners. A frame "
            "marks the newest step."
        ),
        "documented_error": _("Documented error: {concept}. Source: {source}"),
        "students": _("Student"),
        "step": _("Step {step}"),
        "open_view": _("Open this student's page here: {sentence}"),
        "no_answer": _("no answer {count}"),
        "note_sent": _("Note: {note}"),
        "note_to": _("Note to the students shown ({count})"),
        # the collection
        "collection_title": _("Collected views and results"),
        "collection_words": _(
            "“Collect” adds the current page, a student's page, a student's sentence or sketch, or "
            "the results of a question. Select up to three and show them side by side. All your "
            "devices show them until you close them on one of them."
        ),
        "collected_results": _("Question"),
        "collected_choose": _("Select “{name}”"),
        "collected_name": _("Name {number}"),
        "collected_up": _("Move {number} up"),
        "collected_down": _("Move {number} down"),
        "collected_remove": _("Remove {number}"),
        "compare": _("Show side by side ({count})"),
        "collect_student": _("Collect this student's page"),
        # the list of saved questions
        "asked": _("asked"),
        "prepared_title": _("Prepared questions"),
        "prepared_words": _(
            "They stay in this browser. In a room, use “Ask” on any page to prepare a question "
            "about its view."
        ),
        "new_question": _("New question"),
        "edit": _("Edit"),
        "duplicate_sign": _("Copy"),
        "duplicate": _("Duplicate question {number}"),
        "look": _("Show its view"),
        "up": _("Move question {number} up"),
        "down": _("Move question {number} down"),
        "remove": _("Remove question {number}"),
        "save_file": _("Save as a file"),
        "open_file": _("Open a file"),
        "as_lesson": _("Make a lesson of the list"),
        "as_lesson_help": _(
            "Each question becomes a step of a lesson of this room, with the model's answer. "
            "Students work at their own pace or at yours, and the table shows every answer."
        ),
        "as_lesson_title": _("Title of the lesson"),
        "share": _("Copy as a link"),
        "questions_added": _("Questions added: {count}."),
        "questions_none": _("It contains no questions of Headlight."),
    }


def _common_messages() -> dict[str, str]:
    return _form_messages() | {
        "room": _("Room {code}"),
        "leave": _("Leave"),
        "connected": _("{count} connected"),
        "ask_now": _("Ask now"),
        "close": _("Close"),
        "you_are": _("You are {name}."),
        "one_step": _("Step {first} of {steps}"),
        "several_steps": _("Steps {first} to {last} of {steps}"),
        "step_back": _("Back to the step before"),
        "step_on": _("Open the next step"),
        "pause": _("Pause"),
        "unpause": _("End the pause"),
        "pause_ask": _("Message on every student's device"),
        "paused": _("Pause"),
        "pause_text": _("Look at the front, please."),
        "trees_1": _(
            "Acacia Alder Apple Ash Aspen Bamboo Banyan Baobab Beech Birch Boxwood Buckeye "
            "Cacao Camphor Carob Cashew Cedar Cherry Chestnut Citron Clove Coconut Cork "
            "Cypress Dogwood Ebony"
        ),
        "trees_2": _(
            "Elder Elm Fig Fir Ginkgo Hawthorn Hazel Hemlock Hickory Holly Hornbeam Juniper "
            "Kapok Larch Laurel Lemon Lime Linden Lotus Magnolia Mango Maple Medlar "
            "Mulberry Myrtle Neem"
        ),
        "trees_3": _(
            "Nutmeg Oak Olive Orange Palm Papaya Peach Pear Pecan Pine Plane Plum Poplar "
            "Quince Rowan Rubber Sandal Sequoia Spruce Sumac Tamarind Teak Tulip Walnut "
            "Willow Yew"
        ),
        "summary": _("Summary"),
        "line_connecting": _("connecting …"),
        "line_connected": _("connected"),
        "line_away": _("no connection, reconnecting"),
        "line_refused": _("this browser is not in the room: join again"),
        "line_ended": _("the room has ended"),
        "note_one": _("Write a note"),
        "note_ask": _("Note to {count} students. An empty note removes the last note."),
        "error_away": _("The server does not respond. Try again in a moment."),
        "error_storage": _(
            "This browser does not let the page store anything. Allow cookies for this site and "
            "try again."
        ),
        "error_unknown": _("There is no room with this code."),
        "error_shut": _("The teacher lets nobody new join this room."),
        "error_ended": _("This room has ended."),
        "error_closed": _("The question is closed."),
        "error_forbidden": _("Only the teacher of this room can do this."),
        "error_too_many": _("Too many requests. Try again in a minute."),
        "error_too_many_hour": _("Your network has opened too many rooms. Try again in an hour."),
        "error_too_many_day": _("The limit for one day is reached. Try again tomorrow."),
        "error_full": _(
            "This room has reached its limit of students, questions or votes. Open another room."
        ),
        "error_full_list": _("50 views and results are collected. Remove one on the room page."),
        "error_off": _("Rooms are switched off on this server."),
        "error_database": _("The rooms' database does not respond. Try again in a moment."),
        "error_other": _("This did not work. Try again."),
        "kind_lesson": _("From the lesson"),
        "kind_token": _("Token"),
        "kind_head": _("Head"),
        "kind_number": _("Number"),
        "kind_choice": _("Multiple choice"),
        "kind_next": _("Next token"),
        "vote": _("Vote {count}"),
        "right": _("right"),
        "chosen_by": _("{what}: chosen by {count}"),
        "legend_token": _(
            "Middle row: students. Last row: weights of {model}; the darkest is {top}."
        ),
        "legend_head": _("Dots: students. Colour: weights of {model}; the darkest is {top}."),
        "legend_number": _("The right number is {value}, plus or minus {near}."),
        "share_right": _("Right: {right} of {all} answers ({percent})."),
        "legend_next": _(
            "First bar: students. Second bar: probability in {model}; the largest is {top}."
        ),
        "legend_opinion": _("This question has no right or wrong answer."),
        "scene_token": _("{model}, head {head}: where does “{token}” look?"),
        "scene_token_mean": _(
            "{model}, mean over the heads of {layer}: where does “{token}” look?"
        ),
        "shown_words": _("Word pieces are merged."),
        "shown_hide": _("Special tokens are hidden: rows sum to less than 1."),
        "shown_renormalise": _("Special tokens are hidden, and rows are scaled to sum to 1."),
        "scene_number": _(
            "{model}, head {head}: weight from “{query}” to “{key}”, from 0 to 1. An answer within "
            "{near} is right."
        ),
        "scene_number_mean": _(
            "{model}, mean over the heads of {layer}: weight from “{query}” to “{key}”, from 0 to "
            "1. An answer within {near} is right."
        ),
        "scene_head": _("{model}: from “{query}” to “{key}”."),
    }


def _form_messages() -> dict[str, str]:
    return {
        "ask_title": _("Ask about a view"),
        "kind": _("Kind"),
        "model": _("Model"),
        "side_left": _("{model} (first)"),
        "side_right": _("{model} (second)"),
        "query": _("From (query)"),
        "key": _("To (key)"),
        "options": _("Options, one per line. Begin the right ones with *"),
        "prompt": _("Question"),
        "link": _("Link to the view"),
        "keep": _("Save for later"),
        "cancel": _("Cancel"),
        "prompt_token": _("Where does “{query}” look in {head}?"),
        "prompt_token_mean": _("Where does “{query}” look, on average over the heads of {layer}?"),
        "prompt_head": _("Which head links “{query}” to “{key}”?"),
        "prompt_choice": "",
        "prompt_number": _("How large is the weight from “{query}” to “{key}” in {head}?"),
        "prompt_number_mean": _(
            "How large is the weight from “{query}” to “{key}”, on average over the heads of "
            "{layer}?"
        ),
        "prompt_next": _("Which token comes next?"),
        "no_prompt": _("Type a question."),
        "no_options": _("Type at least two options, one per line."),
        "number_bad": _("This is not a number. Type one such as 0.5 or 1000."),
        "number_ambiguous": _("Which number do you mean?"),
    }
