// What goes wrong, as the script wants it: errors, hangs, crashes and slowness.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "core.h"

// due says that a device's fault has begun: at once, or after so many pictures.
static int due(int slot) {
	int64_t pictures = (int64_t)(counted(slot, PICTURES_DECODED) + counted(slot, PICTURES_ENCODED));
	return pictures - device_number(slot, "since", 0) >= device_number(slot, "after", 0);
}

static int is_set(int slot, const char *what, const char *point) {
	char points[64];
	return device_text(slot, what, points, sizeof points) && listed(points, point) && due(slot);
}

// broken is the CUDA error that the device answers with. Out of memory and device
// unavailable pass by; the others outlive their cause in every context they met.
int broken(int slot, int lasting_only) {
	int error = device_number(slot, "fail", 0);
	if (!error && device_number(slot, "lost", 0)) error = 999;
	if (!error || !due(slot)) return 0;
	return lasting_only && (error == 2 || error == 46) ? 0 : error;
}

int act(int slot, const char *point) {
	char key[32];
	if (is_set(slot, "crash", point)) raise(SIGSEGV);
	if (is_set(slot, "hang", point)) {
		count(slot, HANGS, 1);
		while (is_set(slot, "hang", point)) usleep(5000);
	}
	snprintf(key, sizeof key, "slow.%s", point);
	int64_t pause = device_number(slot, key, 0);
	if (pause > 0) usleep(pause);
	return broken(slot, 1);
}
