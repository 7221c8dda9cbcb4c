// The decoder within says nothing: a driver does not write to a program's stderr.
#include <libavutil/log.h>

__attribute__((constructor)) static void quiet(void) { av_log_set_level(AV_LOG_QUIET); }
