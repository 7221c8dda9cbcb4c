// The script: lines of key=value, read again when its number has changed.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static char text[SCRIPT_BYTES + 1];
static uint64_t have = ~0ull;

// refresh copies the script; should the writer have overtaken, again.
static void refresh(void) {
	while (have != script_sequence()) {
		uint64_t sequence;
		const char *from = script_text(&sequence);
		if (script_sequence() == 0) {
			snprintf(text, sizeof text, "%s", from);
			have = sequence;
			return;
		}
		memcpy(text, from, SCRIPT_BYTES);
		text[SCRIPT_BYTES] = 0;
		if (script_sequence() == sequence) have = sequence;
	}
}

int text_of(const char *key, char *into, size_t size) {
	int found = 0;
	size_t length = strlen(key);
	pthread_mutex_lock(&guard);
	refresh();
	for (const char *line = text; line && *line && !found; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (strncmp(line, key, length) || line[length] != '=') continue;
		const char *value = line + length + 1;
		snprintf(into, size, "%.*s", (int)strcspn(value, "\n"), value);
		found = 1;
	}
	pthread_mutex_unlock(&guard);
	return found;
}

int64_t number_of(const char *key, int64_t otherwise) {
	char value[64];
	if (!text_of(key, value, sizeof value) || !*value) return otherwise;
	return strtoll(value, NULL, 10);
}

// device_text looks for the device's own line, then for one of every device.
int device_text(int slot, const char *key, char *into, size_t size) {
	char full[96];
	snprintf(full, sizeof full, "device%d.%s", slot, key);
	if (text_of(full, into, size)) return 1;
	snprintf(full, sizeof full, "device.%s", key);
	return text_of(full, into, size);
}

int64_t device_number(int slot, const char *key, int64_t otherwise) {
	char value[64];
	if (!device_text(slot, key, value, sizeof value) || !*value) return otherwise;
	return strtoll(value, NULL, 10);
}

int listed(const char *list, const char *word) {
	size_t length = strlen(word);
	for (const char *at = list; (at = strstr(at, word)); at += length) {
		int begins = at == list || at[-1] == ',' || at[-1] == ' ';
		int ends = !at[length] || at[length] == ',' || at[length] == ' ';
		if (begins && ends) return 1;
	}
	return 0;
}
