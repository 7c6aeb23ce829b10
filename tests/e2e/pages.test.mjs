// Every page, as each language, theme and width shows it: complete, quiet and accessible.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { overflow, picture, violations } from "./support/audit.mjs";
import { openBrowser, openPerson } from "./support/browser.mjs";
import { isLive, signIn, spacePath } from "./support/portal.mjs";
import { Stack } from "./support/stack.mjs";

// A Space of the demo seed that runs.
const SEEDED = "feature-store";
const LANGUAGES = [
  { locale: "en-US", words: { menu: "Menu", lost: "Nothing is here", open: `Open ${SEEDED}`, edit: `Edit ${SEEDED}`,
    verdict: /Starts now|Will wait/, tabs: ["Events", "Logs", "YAML"] } },
  { locale: "zh-CN", words: { menu: "菜单", lost: "页面不存在", open: `打开 ${SEEDED}`, edit: `编辑 ${SEEDED}`,
    verdict: /可立即启动|需要等待/, tabs: ["事件", "日志", "YAML"] } },
];
const THEMES = ["light", "dark"];
const WIDTHS = [1440, 390];

let stack, browser;

before(async () => {
  stack = await Stack.start({ sandbox: ["--pace", "0", "--runtime", "simulated"] });
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await stack?.stop();
});

// Each page: where it is, and what shows that it has arrived.
function pagesIn(words) {
  const heading = (name) => (page) => page.getByRole("heading", { level: 1, name }).waitFor();
  const evidence = (index) => (page) => page.getByRole("tab", { name: words.tabs[index], selected: true }).waitFor();
  return [
    { name: "spaces", path: "/spaces", arrived: (page) => page.getByRole("link", { name: SEEDED, exact: true }).waitFor() },
    { name: "templates", path: "/templates", arrived: (page) => page.getByRole("heading", { level: 2 }).first().waitFor() },
    { name: "template", path: "/clusters/sandbox/namespaces/hyperpod-ns-team-a/templates/small-notebook",
      arrived: heading("Small notebook") },
    { name: "create", path: "/clusters/sandbox/create", arrived: (page) => page.getByText(words.verdict).waitFor() },
    { name: "events", path: spacePath(SEEDED), arrived: evidence(0) },
    { name: "logs", path: `${spacePath(SEEDED)}?tab=logs`, arrived: evidence(1) },
    { name: "yaml", path: `${spacePath(SEEDED)}?tab=yaml`, arrived: evidence(2) },
    { name: "edit", path: `${spacePath(SEEDED)}/edit`, arrived: heading(words.edit) },
    { name: "open", path: `/open/sandbox/hyperpod-ns-team-a/${SEEDED}`, arrived: heading(words.open) },
    { name: "lost", path: "/no/such/page", arrived: heading(words.lost) },
  ];
}

// What a page may not do in the background. A request that ends because its page is left is no failure.
function watchRequests(page) {
  const failed = [];
  page.on("response", (answer) => answer.status() >= 400 && failed.push(`${answer.status()} ${answer.url()}`));
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText;
    if (why !== "net::ERR_ABORTED") failed.push(`${why} ${request.url()}`);
  });
  return failed;
}

// Nothing of the page is still being loaded.
const settled = async (page) => {
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
};

// Looks at the page that is shown, at each width; gives back what is wrong with it.
async function look(page, name) {
  const wrong = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    await picture(page, `${name}-${width}`);
    wrong.push(...(await violations(page)).map((broken) => `${name}, ${width} px: ${broken}`));
    const over = await overflow(page);
    if (over > 0) wrong.push(`${name}, ${width} px: ${over} px wider than the window`);
  }
  return wrong;
}

for (const { locale, words } of LANGUAGES) {
  for (const colorScheme of THEMES) {
    test(`every page is complete, quiet and accessible: ${locale}, ${colorScheme}`, async () => {
      const { page, context, complaints } = await openPerson(browser, stack, { locale, colorScheme });
      const failed = watchRequests(page);
      const wrong = [];
      await page.goto("/");
      await page.getByRole("button", { name: /ds-a1/ }).waitFor();
      wrong.push(...(await look(page, `sign-in-${locale}-${colorScheme}`)));
      await signIn(page, "ds-a1");
      for (const { name, path, arrived } of pagesIn(words)) {
        await page.goto(path);
        await arrived(page);
        wrong.push(...(await look(page, `${name}-${locale}-${colorScheme}`)));
      }
      assert.deepEqual({ wrong, failed, complaints }, { wrong: [], failed: [], complaints: [] });
      await context.close();
    });
  }

  test(`every entry of the navigation leads to its page, wide and narrow: ${locale}`, async () => {
    const { page, context, complaints } = await openPerson(browser, stack, { locale });
    await signIn(page, "ds-a1");
    const side = page.getByRole("navigation", { name: words.menu });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const count = await side.getByRole("link").count();
      assert.ok(count >= 2, `${count} entries`);
      for (let index = 0; index < count; index += 1) {
        if (width < 800) await page.getByRole("button", { name: words.menu, exact: true }).click();
        const entry = side.getByRole("link").nth(index);
        const address = await entry.getAttribute("href");
        await entry.click();
        await page.waitForURL(`**${address}`);
        await page.locator("main").getByRole("heading", { level: 1 }).waitFor();
        assert.equal(await entry.getAttribute("aria-current"), "page");
      }
    }
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

for (const colorScheme of THEMES) {
  test(`what opens over a page is accessible too: ${colorScheme}`, async () => {
    const { page, context, complaints } = await openPerson(browser, stack, { colorScheme });
    await signIn(page, "ds-a1");
    await isLive(page);
    await page.getByRole("link", { name: SEEDED, exact: true }).waitFor();
    const layers = [
      ["row-menu", () => page.getByRole("button", { name: `Actions for ${SEEDED}` }).click(), page.getByRole("menu")],
      ["columns", () => page.getByRole("button", { name: "Columns" }).click(), page.getByRole("menu")],
      ["account", () => page.getByRole("button", { name: /Account/ }).click(), page.getByRole("menu")],
      ["palette", () => page.keyboard.press("Control+k"), page.getByRole("dialog")],
    ];
    const wrong = [];
    const examine = async (name, open, layer) => {
      await open();
      await layer.waitFor();
      await picture(page, `${name}-${colorScheme}`);
      wrong.push(...(await violations(page)).map((broken) => `${name}: ${broken}`));
      await page.keyboard.press("Escape");
      await layer.waitFor({ state: "hidden" });
    };
    for (const layer of layers) await examine(...layer);
    await page.getByRole("link", { name: SEEDED, exact: true }).click();
    const remove = page.getByRole("button", { name: "Delete", exact: true });
    await examine("delete", () => remove.click(), page.getByRole("dialog"));
    assert.deepEqual({ wrong, complaints }, { wrong: [], complaints: [] });
    await context.close();
  });
}

test("each persona's list shows itself without a complaint", async () => {
  for (const persona of ["admin", "lead-a", "ds-a2", "ds-b1", "auditor"]) {
    const { page, context, complaints } = await openPerson(browser, stack);
    const failed = watchRequests(page);
    await signIn(page, persona);
    await isLive(page);
    await settled(page);
    assert.deepEqual({ persona, failed, complaints }, { persona, failed: [], complaints: [] });
    await context.close();
  }
});
