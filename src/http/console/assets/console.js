/** Begins what makes the pages comfortable. */
import { drawBoxes } from "./boxes.js";
import { fillCounting } from "./counting.js";
import { decideInPlace } from "./decisions.js";
import { startEditing } from "./editing.js";
import { findAsTyped } from "./findings.js";
import { filterLive } from "./lists.js";
import { offerPalette } from "./palette.js";
import { tellNews } from "./news.js";
import { startTranslating } from "./translate.js";
import {
  choosesHere,
  closeMenus,
  leaveNotice,
  offerCopies,
  showAges,
  showLongTexts,
  turnAges,
} from "./pages.js";

showAges(document);
offerCopies();
showLongTexts();
turnAges();
closeMenus();
choosesHere();
leaveNotice();
void fillCounting();
filterLive();
startEditing();
decideInPlace();
findAsTyped();
startTranslating();
offerPalette();
drawBoxes();
tellNews();
