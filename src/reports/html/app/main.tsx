import { render } from "preact";
import type { PageData } from "../page-data.ts";
import { App } from "./app.tsx";
import "./style.css";

/** Shows the page of the data that the document holds. */
function start(): void {
  const root = document.querySelector("#app");
  const text = document.querySelector("#data")?.textContent;
  if (root === null || text === null || text === undefined) return;
  const data: PageData = JSON.parse(text);
  const show = (isPrinted: boolean) => render(<App data={data} isPrinted={isPrinted} />, root);
  root.textContent = "";
  const paper = matchMedia("print");
  show(paper.matches);
  // All of it is on paper, and it has to be there before the browser goes on.
  paper.addEventListener("change", () => show(paper.matches));
  addEventListener("beforeprint", () => show(true));
  addEventListener("afterprint", () => show(false));
  document.documentElement.dataset.ready = "";
}

start();
