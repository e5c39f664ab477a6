// What both tests in a browser share: the browser, a server, and what is told of each check.

import { chromium } from "playwright-core";
import { serve } from "../serve.mjs";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--autoplay-policy=document-user-activation-required",
];
let failed = 0;

export function check(name, holds, more = "") {
  console.log(`${holds ? "ok    " : "FAILED"} ${name}${more === "" ? "" : `: ${more}`}`);
  if (!holds) failed++;
}

/** Serves a folder, web/dist if none is named, and starts a browser. */
export async function start(folder) {
  const { address, close } = await serve(0, folder);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
  /** Ends both, and says what has become of the checks. */
  const finish = async () => {
    await browser.close();
    close();
    console.log(failed ? `${failed} failed` : "all seen");
    process.exitCode = failed ? 1 : 0;
  };
  return { address, browser, finish };
}

/** What goes wrong on a page is a failure here. */
export function watch(page) {
  page.on("pageerror", (error) => check("no error on the page", false, error.message));
  page.on("console", (line) => line.type() === "error" && check("no error in the console", false, line.text()));
  return page;
}
