// Decoders: what they can, and their lives.
#include <stdlib.h>
#include <string.h>

#include "cuvid.h"

enum { MAP_FAILED = 205 };

static const struct { const char *name; int deepest, least_w, least_h, most; } abilities[CODECS] = {
	[MPEG1] = {"mpeg1", 8, 48, 16, 4096}, [MPEG2] = {"mpeg2", 8, 48, 16, 4096}, [MPEG4] = {"mpeg4", 8, 48, 16, 2048},
	[VC1] = {"vc1", 8, 48, 16, 2048},     [H264] = {"h264", 8, 48, 16, 4096},   [JPEG] = {"jpeg", 8, 64, 64, 16384},
	[HEVC] = {"hevc", 12, 144, 144, 8192}, [VP8] = {"vp8", 8, 48, 16, 4096},    [VP9] = {"vp9", 12, 128, 128, 8192},
	[AV1] = {"av1", 10, 128, 128, 8192},
};

// Chroma formats are numbered as ever: 0 none, 1 4:2:0, 2 4:2:2, 3 4:4:4.
static int can(int slot, int codec, int chroma, int bits) {
	char codecs[128] = "mpeg1,mpeg2,mpeg4,vc1,h264,hevc,vp8,vp9,av1";
	if (codec < 0 || codec >= CODECS || !abilities[codec].name || bits > abilities[codec].deepest) return 0;
	device_text(slot, "decodes", codecs, sizeof codecs);
	return listed(codecs, abilities[codec].name) && (chroma == 1 || (chroma == 3 && codec == HEVC));
}

static int least(int otherwise) { return (int)number_of("decoder.least", otherwise); }

API CUresult cuvidGetDecoderCaps(uint8_t *caps) {
	int codec = FIELD(caps, 0, int), chroma = FIELD(caps, 4, int), bits = 8 + FIELD(caps, 8, int);
	CUresult error = usable("caps");
	if (error) return error;
	int yes = can(current()->slot, codec, chroma, bits);
	memset(caps + 24, 0, 64);
	if (!yes) return CUDA_OK;
	FIELD(caps, 24, uint8_t) = 1;
	FIELD(caps, 25, uint8_t) = 2;
	FIELD(caps, 26, uint16_t) = bits > 8 ? 2 : 1;
	FIELD(caps, 28, uint32_t) = FIELD(caps, 32, uint32_t) = (uint32_t)abilities[codec].most;
	FIELD(caps, 36, uint32_t) = (uint32_t)(abilities[codec].most * (abilities[codec].most / 256));
	FIELD(caps, 40, uint16_t) = (uint16_t)least(abilities[codec].least_w);
	FIELD(caps, 42, uint16_t) = (uint16_t)least(abilities[codec].least_h);
	return CUDA_OK;
}

static CUresult refuse(int slot, CUresult error) {
	count(slot, DECODERS_REFUSED, 1);
	return error;
}

API CUresult cuvidCreateDecoder(struct decoder **out, const void *info) {
	CUresult error = usable("decoder");
	if (error) return error;
	int slot = current()->slot;
	struct decoder d = {
		.slot = slot, .codec = FIELD(info, 24, int), .chroma = FIELD(info, 28, int),
		.bits = 8 + (int)FIELD(info, 40, unsigned long),
		.width = (int)FIELD(info, 96, unsigned long), .height = (int)FIELD(info, 104, unsigned long),
		.surfaces = (int)FIELD(info, 16, unsigned long), .outputs = (int)FIELD(info, 112, unsigned long),
	};
	if (!can(slot, d.codec, d.chroma, d.bits)) return refuse(slot, CUDA_NOT_SUPPORTED);
	// Surfaces have whole samples of U and V.
	d.width = (d.width + 1) & ~1;
	d.height = (d.height + 1) & ~1;
	int w = (int)FIELD(info, 0, unsigned long), h = (int)FIELD(info, 8, unsigned long);
	if (w > abilities[d.codec].most || h > abilities[d.codec].most || w < least(abilities[d.codec].least_w) ||
		h < least(abilities[d.codec].least_h))
		return refuse(slot, CUDA_NOT_SUPPORTED);
	if (d.surfaces < 1 || d.surfaces > SURFACES || d.outputs < 1) return refuse(slot, CUDA_INVALID_VALUE);
	d.weight = (uint64_t)w * (uint64_t)h * 3 / (d.bits > 8 ? 1 : 2) * (uint64_t)(d.surfaces + d.outputs);
	if ((error = reserve(slot, d.weight))) return refuse(slot, error);
	*out = malloc(sizeof d);
	**out = d;
	open_software(*out);
	hold(slot, DECODERS, 1);
	count(slot, DECODERS_CREATED, 1);
	return CUDA_OK;
}

API CUresult cuvidDestroyDecoder(struct decoder *d) {
	if (!d) return CUDA_INVALID_HANDLE;
	close_software(d);
	give_back(d->slot, d->weight);
	hold(d->slot, DECODERS, -1);
	count(d->slot, DECODERS_DESTROYED, 1);
	free(d);
	return CUDA_OK;
}

// picture_refused is what a decoder says that does not like a picture, and goes on with
// the next one: the context stays as it was.
static CUresult picture_refused(struct decoder *d) {
	int64_t every = device_number(d->slot, "decode.every", 0);
	if (every <= 0 || ++d->asked % every) return CUDA_OK;
	count(d->slot, PICTURES_REFUSED, 1);
	return (CUresult)device_number(d->slot, "decode.error", CUDA_INVALID_VALUE);
}

API CUresult cuvidDecodePicture(struct decoder *d, const void *picture) {
	int index = FIELD(picture, PIC_INDEX, int);
	CUresult error = usable("decode");
	if (error) return error;
	if (!d || index < 0 || index >= d->surfaces) return CUDA_INVALID_VALUE;
	if ((error = picture_refused(d))) return error;
	decode_picture(d, picture);
	count(d->slot, PICTURES_DECODED, 1);
	return CUDA_OK;
}

API CUresult cuvidGetDecodeStatus(struct decoder *d, int index, int *status) {
	enum { SUCCESS = 2 };
	if (!d || index < 0 || index >= d->surfaces) return CUDA_INVALID_VALUE;
	*status = SUCCESS;
	return CUDA_OK;
}

API CUresult cuvidMapVideoFrame64(struct decoder *d, int index, uint64_t *pointer, unsigned *pitch, void *how) {
	(void)how;
	CUresult error = usable("map");
	if (error) return error;
	if (!d || index < 0 || index >= d->surfaces) return CUDA_INVALID_VALUE;
	if (d->mapped >= d->outputs) return MAP_FAILED;
	*pitch = (unsigned)((d->width * (d->bits > 8 ? 2 : 1) + 511) / 512 * 512);
	void *memory;
	if (posix_memalign(&memory, 512, (size_t)*pitch * (size_t)surface_rows(d) + 512)) return CUDA_OUT_OF_MEMORY;
	draw_surface(d, index, memory, (int)*pitch);
	d->mapped++;
	*pointer = (uint64_t)memory;
	return CUDA_OK;
}

API CUresult cuvidUnmapVideoFrame64(struct decoder *d, uint64_t pointer) {
	if (!d || !d->mapped) return CUDA_INVALID_VALUE;
	d->mapped--;
	free((void *)pointer);
	return CUDA_OK;
}
