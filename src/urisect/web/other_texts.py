"""Recognize texts that are something else: several addresses, e-mail addresses, files, phone numbers, dates."""

from itertools import islice
from typing import Final

from urisect.characters import ALPHA, DIGIT
from urisect.web.draft import Draft, compiled

__all__ = ["recognize", "recognize_several_addresses"]

# An address at the beginning of a word.
_ADDRESS: Final = rf"(?i)(?<!\S)(?:[{ALPHA}]++://|www\.)\w"

_EMAIL_ADDRESS: Final = r"[^\s/\\@:?#]++@[^\s/\\@:?#]++"

# A drive of Windows with what follows, and a name with an ending that no name of a website has.
_DRIVE: Final = rf"[{ALPHA}]:(?:\\|/(?!/)|\Z)"
_FILE_NAME: Final = r"(?i)[^/\\:?#@]+\.(?:html?|php|pdf|jpe?g|png|docx?|xlsx?)"

_PHONE_NUMBER: Final = rf"\+?+[({DIGIT}][{DIGIT} ()/\-]{{5,29}}+"
_MIN_DIGITS: Final = 6  # of a phone number
_DATE: Final = rf"[{DIGIT}]{{1,2}}\.[{DIGIT}]{{1,2}}\.[{DIGIT}]{{4}}"


def recognize_several_addresses(draft: Draft) -> bool:
    """Recognize two addresses, before the line end that may be between them is removed.

    Args:
        draft: the text.

    Returns:
        Whether there are two.
    """
    first_two = [*islice(compiled(_ADDRESS).finditer(draft.text), 2)]
    return len(first_two) > 1 and draft.report_only("several-addresses")


def recognize(draft: Draft) -> bool:
    """Recognize e-mail addresses, files, phone numbers and dates.

    Args:
        draft: the text.

    Returns:
        Whether the text is one.
    """
    if compiled(_EMAIL_ADDRESS).fullmatch(draft.text):
        return draft.report_only("email-address")
    if compiled(_DRIVE).match(draft.text) or compiled(_FILE_NAME).fullmatch(draft.text):
        return draft.report_only("file-name")
    is_number = compiled(_PHONE_NUMBER).fullmatch(draft.text) and sum(map(str.isdigit, draft.text)) >= _MIN_DIGITS
    if is_number or compiled(_DATE).fullmatch(draft.text):
        return draft.report_only("phone-number")
    return False
