import pytest

pytestmark = pytest.mark.browser
GUIDE = "/styleguide/"


@pytest.mark.parametrize(
    ("width", "language", "scheme"), [(360, "zh-hans", "light"), (1280, "en", "light"), (1280, "zh-hans", "dark")]
)
def test_the_kit_is_accessible_and_quiet_in_every_dress(open_page, width: int, language: str, scheme: str) -> None:
    page, watch = open_page(GUIDE, person="admin", width=width, scheme=scheme, language=language)
    page.wait_for_load_state("networkidle")
    assert page.locator("html").get_attribute("lang") == language
    assert watch.axe_faults() == []
    assert watch.faults == []


def test_the_page_never_scrolls_sideways(open_page) -> None:
    page, watch = open_page(GUIDE, person="admin")
    for width in (320, 360, 768, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        assert watch.sideways() == 0, width


def test_the_question_mark_lists_the_shortcuts_with_those_of_the_page(open_page) -> None:
    page, watch = open_page(GUIDE, person="admin")
    page.keyboard.press("?")
    dialog = page.locator("dialog#shortcuts")
    assert dialog.is_visible()
    assert "Export" in dialog.locator("[data-page-keys]").inner_text()
    assert watch.axe_faults() == []
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_a_slash_goes_to_the_search_and_is_a_letter_inside_it(open_page) -> None:
    page, _watch = open_page(GUIDE, person="admin")
    page.keyboard.press("/")
    search = page.locator("[data-search]").first
    assert search.evaluate("element => element === document.activeElement")
    page.keyboard.type("a/b?")
    assert search.input_value() == "a/b?"
    assert not page.locator("dialog#shortcuts").is_visible()


def test_j_and_k_walk_through_the_rows(open_page) -> None:
    page, _watch = open_page(GUIDE, person="admin")
    index = "[...document.querySelector('[data-nav-list]').children].findIndex(r => r.contains(document.activeElement))"
    for key, expected in [("j", 0), ("j", 1), ("j", 2), ("j", 2), ("k", 1)]:
        page.keyboard.press(key)
        assert page.evaluate(index) == expected


def test_a_narrow_page_hides_its_navigation_behind_a_button(open_page) -> None:
    page, _watch = open_page(GUIDE, person="admin", width=360)
    sidebar = page.locator(".sidebar")
    assert not sidebar.is_visible()
    page.locator("label.nav-button").click()
    assert sidebar.is_visible()
    page.locator("#nav-toggle").focus()
    page.keyboard.press("Space")
    assert not sidebar.is_visible()


def test_a_chosen_theme_survives_the_next_page(open_page) -> None:
    page, _watch = open_page(GUIDE, person="admin", scheme="light")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Light or dark").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light


def test_an_identifier_is_copied_by_its_button(open_page) -> None:
    page, _watch = open_page(GUIDE, person="admin")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = page.locator("[data-copy]").first
    button.click()
    page.locator("#toast p").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == button.get_attribute("data-copy")


def test_a_dangerous_act_is_asked_once_without_scripts(open_page) -> None:
    page, _watch = open_page(GUIDE, person="admin")
    form = page.locator("details.confirm form")
    assert not form.is_visible()
    page.locator("details.confirm summary").click()
    assert form.is_visible()
    assert form.locator("[name=csrfmiddlewaretoken]").get_attribute("value")


def test_the_first_tab_stop_leads_past_the_navigation(open_page) -> None:
    page, _watch = open_page(GUIDE, person="admin")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_htmx_runs_under_the_content_policy(open_page) -> None:
    page, watch = open_page(GUIDE, person="admin")
    page.wait_for_function("window.htmx !== undefined")
    assert page.evaluate("[htmx.config.allowEval, htmx.config.includeIndicatorStyles]") == [False, False]
    page.evaluate("""() => {
        const target = document.createElement("div");
        target.id = "probe";
        document.querySelector("main").append(target);
        return htmx.ajax("GET", location.href, {target: "#probe", select: "#states"});
    }""")
    page.locator("#probe #states").wait_for()
    assert watch.faults == []


@pytest.mark.parametrize("path", ["/no-such-page/", "/styleguide/"])
def test_what_is_not_there_is_told_on_a_page_of_the_site(open_page, path: str) -> None:
    page, watch = open_page(path, person="viewer" if path == "/styleguide/" else "")
    assert page.locator("h1").inner_text()
    assert page.get_by_role("link", name="To the start page").is_visible()
    assert watch.axe_faults() == []
