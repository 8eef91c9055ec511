// Types of the rooms. The server's side is rooms/api/question_builder.py and rooms/store/snapshot.py.

/** What a question shows and, after the reveal, its truth. The fields depend on the kind. */
interface QuestionContent {
    kind: "token" | "head" | "number" | "choice";
    items: any;
    truth?: any;
}

interface RoomQuestion extends QuestionContent {
    id: number;
    round: number;
    /** It accepts answers while it is open. A stopped one hides the right answer. */
    state: "open" | "stopped" | "revealed";
    prompt: string;
    view: string | null;
    answered?: any;
    n_answers?: number;
    tally?: Tally;
    earlier?: Tally[];
}

/** Each answer and how many students gave it. */
type Tally = [answer: any, count: number][];

/** The state of a room. The server sends all of it after each change. */
interface RoomState {
    role: "teacher" | "student";
    room: string;
    ended: boolean;
    /** Students follow the teacher, or work on their own. */
    mode: "follow" | "free";
    /** The server does not know the room, or this browser, any more. */
    gone?: boolean;
    view: string | null;
    /** Counts the views that the teacher has shown. */
    change: number;
    /** How many have joined; for the teacher. */
    students?: number;
    /** The lesson that the class works on. */
    plan: RoomPlan | null;
    /** How many students have answered each step of the lesson, by first answers; for the teacher. */
    work?: { answered: number; right: number }[] | null;
    question: RoomQuestion | null;
}

interface RoomPlan {
    lesson: string;
    title: string;
    /** One for each step. */
    views: string[];
    /** The open step, from 1; null if all steps are open. */
    step: number | null;
}

/** A step of a lesson with the newest answer, as the strip of the lesson shows it. */
interface LessonStep {
    lesson: string;
    step: number;
    answer: string;
    outcome: "seen" | "again" | "wrong" | "revealed" | "right";
}

/** The state of the WebSocket; "refused" and "ended" are final. */
type ConnectionState = "connecting" | "connected" | "away" | "refused" | "ended";

/** What this browser stores of a room. */
interface Membership {
    role: "teacher" | "student";
    token: string;
    /** By question and round. */
    answers?: Record<string, GivenAnswer>;
    /** By lesson and step. */
    work?: Record<string, GivenAnswer>;
}

/** An answer of this browser; the server refuses a late or an unreadable one. */
interface GivenAnswer {
    answer: any;
    state: "waiting" | "arrived" | "late" | "refused";
}

interface WindowEventMap {
    /** The strip of a lesson shows a step, or an answer to it. */
    "headlight-step": CustomEvent<LessonStep>;
    /** This browser entered a room or left it. */
    "headlight-room": Event;
    /** The state of the room has changed; `window.headlightRoom` has it too. */
    "headlight-room-state": CustomEvent<RoomState | null>;
}

interface Window {
    headlightStep?: LessonStep;
    headlightRoom?: RoomState | null;
    /** True while openView writes the address: decoding/step_url.js then reads it. */
    headlightFollowing?: boolean;
    headlightDrawn?: string;
}

/** The style sheet of a component that is loaded on demand. */
declare const STYLE: string;
