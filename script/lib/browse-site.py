# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Opens the site of script/docs in headless Chromium as a reader would, in a wide, a narrow and a dark window: the front
page, a symbol found by the search, a guide, a page of docs. An entry in the browser's console of the level SEVERE, such as a
missing file or an exception, is a failure.

usage: browse-site.py URL FOLDER        writes a screenshot of each page to the folder
"""

import os
import sys

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

address, folder = sys.argv[1:]
WINDOWS = [("wide", 1440, 900, "light"), ("narrow", 390, 844, "light"), ("dark", 1440, 900, "dark")]
SYMBOL, GUIDE, CODE = "PasswordContext", "Keep secrets in the keychain", "Keychain.open()"


def start():
    options = webdriver.ChromeOptions()
    # A container has no user namespaces, which the browser's sandbox needs; the site is our own.
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Reader:
    """One window, and what its reader does."""

    def __init__(self, browser, name, width, height, scheme):
        self.browser, self.name, self.is_narrow = browser, name, width < 800
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": self.is_narrow})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def wait(self, condition, what):
        try:
            return WebDriverWait(self.browser, 60, 0.1, [StaleElementReferenceException]).until(condition)
        except TimeoutException:
            self.shoot("failed")
            raise SystemExit(f"docs: error: {self.name}: {what} did not appear on {self.browser.current_url}") from None

    def find(self, selector, text=""):
        """The first visible element of a selector that contains a text."""
        def condition(browser):
            elements = browser.find_elements(By.CSS_SELECTOR, selector)
            return next((element for element in elements if element.is_displayed() and text in element.text), None)
        return self.wait(condition, f"'{text or selector}'")

    def click_link(self, selector, text):
        """Clicks the element of a selector that is named like this and no more, once nothing covers it. It is found and
        clicked in one step, because a list that scrolls reuses its elements: one that was found may show another name by
        the time it is clicked."""
        script = """
            const link = [...document.querySelectorAll(arguments[0])].find(link => link.innerText.trim() === arguments[1]);
            if (!link) return false;
            const box = link.getBoundingClientRect();
            const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            if (!link.contains(top)) return false;
            link.click();
            return true;"""
        self.wait(lambda browser: browser.execute_script(script, selector, text), f"'{text}'")

    def expect_title(self, text):
        self.find("h1", text)

    def shoot(self, page):
        self.browser.save_screenshot(os.path.join(folder, f"{self.name}-{page}.png"))

    def check(self, page):
        """Takes the screenshot, and fails if the page does not fit its window or the console has an error."""
        self.browser.execute_async_script("document.fonts.ready.then(arguments[0])")
        self.shoot(page)
        width = self.browser.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
        errors = [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]
        if width > 0:
            errors.append(f"the page is {width} pixels wider than the window")
        if errors:
            raise SystemExit(f"docs: error: {self.name}: {self.browser.current_url}: " + "\n".join(errors))

    def search(self, symbol):
        if self.is_narrow:
            self.find("button.sidenav-toggle, .sidenav-toggle").click()
        field = self.find(".filter__input")
        field.click()
        field.send_keys(symbol)
        self.find(".leaf-link", symbol)
        self.check("search")
        self.click_link(".leaf-link", symbol)
        self.expect_title(symbol)
        self.check("symbol")

    def read(self):
        self.browser.get(address)
        self.expect_title("CredKit")
        self.check("front")
        self.search(SYMBOL)
        self.browser.get(address)
        self.expect_title("CredKit")
        link = self.find("a", GUIDE)
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
        link.click()
        self.expect_title(GUIDE)
        self.find("pre", CODE)
        self.check("guide")
        self.browser.get(f"{address}documentation/guides/command/")
        self.expect_title("The command")
        self.find("table")
        self.check("page")


browser = start()
try:
    for window in WINDOWS:
        Reader(browser, *window).read()
finally:
    browser.quit()
print(f"docs: {len(WINDOWS)} windows, {len(os.listdir(folder))} screenshots in {folder}, no error in the console")
