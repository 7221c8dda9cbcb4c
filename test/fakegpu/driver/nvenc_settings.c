// From the parameters of an NVENC session to those of the encoder that does the work.
#include <string.h>

#include "nvenc.h"

// Offsets in the parameters of a session and in its configuration.
enum { INIT_CODEC = 4, INIT_WIDTH = 36, INIT_HEIGHT = 40, INIT_DAR_W = 44, INIT_DAR_H = 48, INIT_RATE = 52,
	INIT_RATE_DEN = 56, INIT_CONFIG = 88 };
enum {
	PROFILE = 4, GOP = 20, RATE_MODE = 44, QP_INTER_P = 48, QP_INTRA = 56, AVERAGE = 60, MAXIMUM = 64, BUFFER = 68,
	QUALITY = 128,
	H264_FLAGS = 168, H264_LEVEL = 172, H264_CODING = 212, SIGNAL_PRESENT = 248, FULL_RANGE = 256, COLORS_PRESENT = 260,
	PRIMARIES = 264,
	TRANSFER = 268, MATRIX = 272, HEVC_FLAGS = 184,
};
enum { MODE_CONSTANT = 0, MODE_CBR = 2, CODING_CAVLC = 2, NO_PARAMETER_SETS = 0x80, HEVC_NO_PARAMETER_SETS = 0x40 };

static const struct { struct guid id; const char *name; } profiles[] = {
	{{{0xca, 0x7b, 0x72, 0x07, 0xc4, 0x78, 0x83, 0x4c, 0x8c, 0x2f, 0xef, 0x3d, 0xff, 0x26, 0x7c, 0x6a}}, "baseline"},
	{{{0xd4, 0xc1, 0xb5, 0x60, 0xfe, 0x67, 0x90, 0x47, 0x94, 0xd5, 0xc4, 0x72, 0x6d, 0x7b, 0x6e, 0x6d}}, "main"},
};

static void set_rate(x264_param_t *p, const void *config) {
	int average = FIELD(config, AVERAGE, const int), maximum = FIELD(config, MAXIMUM, const int),
		buffer = FIELD(config, BUFFER, const int);
	int quality = FIELD(config, QUALITY, const uint8_t);
	if (FIELD(config, RATE_MODE, const int) == MODE_CONSTANT) {
		p->rc.i_rc_method = X264_RC_CQP;
		p->rc.i_qp_constant = FIELD(config, QP_INTER_P, const int);
		return;
	}
	if (!average && quality) {
		p->rc.i_rc_method = X264_RC_CRF;
		p->rc.f_rf_constant = (float)quality;
		return;
	}
	if (FIELD(config, RATE_MODE, const int) == MODE_CBR && !maximum) maximum = average;
	p->rc.i_rc_method = X264_RC_ABR;
	p->rc.i_bitrate = (average ? average : 2000000) / 1000;
	if (maximum && buffer) {
		p->rc.i_vbv_max_bitrate = maximum / 1000;
		p->rc.i_vbv_buffer_size = buffer / 1000;
	}
}

static void set_signal(x264_param_t *p, const void *config) {
	if (!FIELD(config, SIGNAL_PRESENT, const int)) return;
	p->vui.b_fullrange = FIELD(config, FULL_RANGE, const int);
	if (!FIELD(config, COLORS_PRESENT, const int)) return;
	p->vui.i_colorprim = FIELD(config, PRIMARIES, const int);
	p->vui.i_transfer = FIELD(config, TRANSFER, const int);
	p->vui.i_colmatrix = FIELD(config, MATRIX, const int);
}

static void set_shape(struct session *s, const void *parameters) {
	x264_param_t *p = &s->settings;
	int64_t wide = (int64_t)FIELD(parameters, INIT_DAR_W, const int) * s->height,
		high = (int64_t)FIELD(parameters, INIT_DAR_H, const int) * s->width;
	p->i_width = s->width;
	p->i_height = s->height;
	p->i_fps_num = FIELD(parameters, INIT_RATE, const uint32_t);
	p->i_fps_den = FIELD(parameters, INIT_RATE_DEN, const uint32_t);
	if (!p->i_fps_num || !p->i_fps_den) p->i_fps_num = 30, p->i_fps_den = 1;
	while (wide > 0xffff || high > 0xffff) wide >>= 1, high >>= 1;
	p->vui.i_sar_width = (int)wide;
	p->vui.i_sar_height = (int)high;
}

// settings_of takes what a live transcoder sets; the rest stays as this encoder has
// it for speed without delay.
NVENCSTATUS settings_of(struct session *s, const void *parameters) {
	const void *config = FIELD(parameters, INIT_CONFIG, const void *const);
	x264_param_t *p = &s->settings;
	if (!config) return fails(s, NVENC_INVALID_PARAM, "no configuration");
	x264_param_default_preset(p, "ultrafast", "zerolatency");
	s->width = FIELD(parameters, INIT_WIDTH, const int);
	s->height = FIELD(parameters, INIT_HEIGHT, const int);
	uint32_t gop = FIELD(config, GOP, const uint32_t);
	s->gop = gop && gop < X264_KEYINT_MAX_INFINITE ? (int)gop : X264_KEYINT_MAX_INFINITE;
	s->hevc = !memcmp((const uint8_t *)parameters + INIT_CODEC, &guid_hevc, sizeof guid_hevc);
	s->repeat = !(s->hevc ? FIELD(config, HEVC_FLAGS, const uint32_t) & HEVC_NO_PARAMETER_SETS :
		FIELD(config, H264_FLAGS, const uint32_t) & NO_PARAMETER_SETS);
	if (s->hevc) return NVENC_OK;
	set_shape(s, parameters);
	p->i_threads = 1;
	p->b_sliced_threads = 0;
	p->i_log_level = X264_LOG_NONE;
	p->b_vfr_input = 0;
	p->i_csp = X264_CSP_NV12;
	p->i_keyint_max = s->gop;
	p->i_scenecut_threshold = 0;
	p->b_repeat_headers = s->repeat;
	p->b_cabac = FIELD(config, H264_CODING, const int) != CODING_CAVLC;
	p->analyse.b_transform_8x8 = 1;
	if (FIELD(config, H264_LEVEL, const int)) p->i_level_idc = FIELD(config, H264_LEVEL, const int);
	set_rate(p, config);
	set_signal(p, config);
	const char *profile = "high";
	for (int i = 0; i < 2; i++)
		if (!memcmp((const uint8_t *)config + PROFILE, &profiles[i].id, sizeof profiles[i].id)) profile = profiles[i].name;
	x264_param_apply_profile(p, profile);
	return NVENC_OK;
}
