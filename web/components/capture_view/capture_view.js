// The view in the app: Streamlit mounts both components.

import { drawView } from "./view.js";

export default drawView;
