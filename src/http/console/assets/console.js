/** Begins what makes the pages comfortable. */
import { startEditing } from "./editing.js";
import { filterLive } from "./lists.js";
import { offerCopies, showAges, showLongTexts } from "./pages.js";

showAges(document);
offerCopies();
showLongTexts();
filterLive();
startEditing();
