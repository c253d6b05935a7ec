/** The page's entry: shows the frame at once, then connects. */
import { render } from "preact";
import { App } from "./app.js";
import { connect } from "./store.js";

const page = document.getElementById("page");
page?.replaceChildren();
if (page !== null) render(<App />, page);
connect();
