import signal

from hypothesis import settings

settings.register_profile("urisect", deadline=None, print_blob=True)
settings.load_profile("urisect")

# Who is started in the background may ignore interrupts, and hand that down to the commands under test.
signal.signal(signal.SIGINT, signal.default_int_handler)
