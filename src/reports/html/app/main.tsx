import { render } from "preact";
import type { PageData } from "../page-data.ts";
import { App } from "./app.tsx";
import "./style.css";

function start(): void {
  const root = document.querySelector("#app");
  const text = document.querySelector("#data")?.textContent;
  if (root === null || text === null || text === undefined) return;
  const data: PageData = JSON.parse(text);
  const show = (isPrinted: boolean) => render(<App data={data} isPrinted={isPrinted} />, root);
  root.textContent = "";
  const paper = matchMedia("print");
  show(paper.matches);
  // A printed page shows everything, which has to be rendered before the browser prints.
  paper.addEventListener("change", () => show(paper.matches));
  addEventListener("beforeprint", () => show(true));
  addEventListener("afterprint", () => show(false));
  document.documentElement.dataset.ready = "";
}

start();
