// Sessions: opened up to the machine's cap, as GeForce cards do, and closed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvenc.h"

// The codecs' GUIDs, as bytes.
const struct guid guid_hevc = {{0x88, 0xdc, 0x0c, 0x79, 0x22, 0x45, 0x7b, 0x4d, 0x94, 0x25, 0xbd, 0xa9, 0x97, 0x5f,
	0x76, 0x03}};
const struct guid guid_h264 = {{0x62, 0x27, 0xc8, 0x6b, 0x63, 0x4e, 0xa4, 0x4c, 0xaa, 0x85, 0x1e, 0x50, 0xf3, 0x21,
	0xf6, 0xbf}};

NVENCSTATUS fails(struct session *s, NVENCSTATUS status, const char *why) {
	snprintf(s->error, sizeof s->error, "%s", why);
	return status;
}

// newest_interface is (major << 4 | minor) of what the driver's age brings.
static uint32_t newest_interface(void) {
	static const struct { int driver; uint32_t version; } known[] = {
		{570, 0xd0}, {550, 0xc2}, {530, 0xc1}, {520, 0xc0}, {470, 0xb1}, {455, 0xb0}, {445, 0xa0}, {0, 0x91},
	};
	int i = 0;
	while (known[i].driver > driver_major()) i++;
	return known[i].version;
}

API NVENCSTATUS NvEncodeAPIGetMaxSupportedVersion(uint32_t *version) {
	*version = newest_interface();
	return NVENC_OK;
}

// admit counts a session against the cap, which is the machine's, over all devices
// and processes.
static NVENCSTATUS admit(int slot) {
	int64_t cap = number_of("encoder.cap", -1), open = 0;
	enter();
	for (int i = 0; i < number_of("devices", 1); i++) open += (int64_t)held_by_all(i, ENCODERS) +
		device_number(i, "encoder.others", 0);
	int refused = cap >= 0 && open >= cap;
	if (!refused) hold(slot, ENCODERS, 1);
	leave();
	return refused ? (NVENCSTATUS)number_of("encoder.refusal", NVENC_OUT_OF_MEMORY) : NVENC_OK;
}

static int encodes(int slot) {
	struct device all[MAX_DEVICES];
	int n = all_devices(all);
	for (int i = 0; i < n; i++)
		if (all[i].slot == slot) return all[i].encodes;
	return 0;
}

NVENCSTATUS open_session(const void *parameters, struct session **out) {
	enum { DEVICE_KIND = 4, DEVICE_POINTER = 8, INTERFACE = 24, CUDA_CONTEXT = 1 };
	uint32_t version = FIELD(parameters, INTERFACE, const uint32_t);
	struct context *c = FIELD(parameters, DEVICE_POINTER, struct context *const);
	*out = NULL;
	if (((version & 0xff) << 4 | version >> 24) > newest_interface()) return NVENC_INVALID_VERSION;
	if (!c || FIELD(parameters, DEVICE_KIND, const int) != CUDA_CONTEXT) return NVENC_INVALID_DEVICE;
	NVENCSTATUS status = encodes(c->slot) ? NVENC_OK : NVENC_UNSUPPORTED_DEVICE;
	if (!status && usable_context(c, "session")) status = NVENC_GENERIC;
	if (!status) status = admit(c->slot);
	if (status) {
		count(c->slot, ENCODERS_REFUSED, 1);
		return status;
	}
	*out = calloc(1, sizeof **out);
	(*out)->context = c;
	(*out)->slot = c->slot;
	count(c->slot, ENCODERS_OPENED, 1);
	return NVENC_OK;
}

NVENCSTATUS close_session(struct session *s) {
	if (!s) return NVENC_INVALID_POINTER;
	if (s->encoder) x264_encoder_close(s->encoder);
	give_back(s->slot, s->weight);
	hold(s->slot, ENCODERS, -1);
	count(s->slot, ENCODERS_CLOSED, 1);
	free(s);
	return NVENC_OK;
}

static int offers(const struct session *s, const struct guid *codec) {
	char list[64] = "h264";
	device_text(s->slot, "codecs", list, sizeof list);
	return (!memcmp(codec, &guid_h264, sizeof *codec) && listed(list, "h264")) ||
		(!memcmp(codec, &guid_hevc, sizeof *codec) && listed(list, "hevc"));
}

NVENCSTATUS codecs(struct session *s, struct guid *list, uint32_t room, uint32_t *n) {
	const struct guid *known[] = {&guid_h264, &guid_hevc};
	*n = 0;
	for (int i = 0; i < 2 && *n < room; i++)
		if (offers(s, known[i])) list[(*n)++] = *known[i];
	return NVENC_OK;
}

NVENCSTATUS codec_count(struct session *s, uint32_t *n) {
	struct guid list[2];
	return codecs(s, list, 2, n);
}

int started(const struct session *s) { return s->encoder || (s->hevc && s->weight); }

// What a GPU of the last years can do, by the number of the question.
NVENCSTATUS capability(struct session *s, struct guid codec, const void *question, int *answer) {
	static const int answers[64] = {
		[0] = 4, [7] = 1, [13] = 62, [16] = 4096, [17] = 4096, [19] = 1, [20] = 1, [24] = 1, [25] = 1, [34] = 1,
		[37] = 1, [38] = 1, [41] = 1, [43] = 2, [47] = 1,
	};
	unsigned which = FIELD(question, 4, const unsigned);
	if (!offers(s, &codec)) return fails(s, NVENC_UNSUPPORTED_PARAM, "codec not supported");
	*answer = which < 64 ? answers[which] : 0;
	return NVENC_OK;
}

// The presets differ in nothing that is seen here: two B-frames, variable rate. They
// are what holds where the caller says nothing else.
NVENCSTATUS preset(struct session *s, struct guid codec, struct guid name, int tuning, void *config) {
	enum { CONFIG = 8, GOP = 20, INTERVAL = 24, MODE = 44, VARIABLE = 1 };
	(void)name, (void)tuning;
	if (!offers(s, &codec)) return fails(s, NVENC_UNSUPPORTED_PARAM, "codec not supported");
	FIELD(config, CONFIG + GOP, uint32_t) = 250;
	FIELD(config, CONFIG + INTERVAL, int) = 3;
	FIELD(config, CONFIG + MODE, int) = VARIABLE;
	return NVENC_OK;
}

const char *last_error(struct session *s) { return s && s->error[0] ? s->error : "no error"; }
