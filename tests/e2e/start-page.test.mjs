// The first thing anybody sees.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPerson } from "./support/browser.mjs";
import { Stack } from "./support/stack.mjs";

let stack, browser;

before(async () => {
  stack = await Stack.start();
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await stack?.stop();
});

for (const locale of ["en-US", "zh-CN"]) {
  test(`the start page shows itself without a complaint in ${locale}`, async () => {
    const { page, context, complaints } = await openPerson(browser, stack, { locale });
    const response = await page.goto("/");
    assert.equal(response.status(), 200);
    await page.locator("main").first().waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), locale === "zh-CN" ? "zh-CN" : "en");
    assert.deepEqual(complaints, []);
    await context.close();
  });
}
