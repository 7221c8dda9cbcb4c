package hls_test

import (
	"testing"

	"github.com/tuttinode/tutti/server/gateway/hls"
)

func TestWithQuery(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                "",
		"#EXTM3U\n":                       "#EXTM3U\n",
		"#EXTM3U\n#EXTINF:1,\na/1.ts\n\n": "#EXTM3U\n#EXTINF:1,\na/1.ts?e=1&s=x\n\n",
		"a.m3u8\nb.m3u8":                  "a.m3u8?e=1&s=x\nb.m3u8?e=1&s=x",
	} {
		if got := string(hls.WithQuery([]byte(in), "e=1&s=x")); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}
