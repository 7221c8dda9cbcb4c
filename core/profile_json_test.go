package core_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

func TestParseProfilesJSON(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, in string
		want     []core.Profile
	}{
		{"none", `[]`, nil},
		{"usual", `[{"name":"720p","width":1280,"height":720,"bitrate":3000000,"fps":30,"fpsDen":1,"profile":"H264High",` +
			`"gop":"2.0"}]`,
			[]core.Profile{{Name: "720p", Width: 1280, Height: 720, Bitrate: 3_000_000, FPS: core.Framerate{Num: 30, Den: 1},
				Profile: core.ProfileHigh, GOP: core.GOP(2 * time.Second)}}},
		{"one without a list, without a name", ` {"width":640,"height":360,"bitrate":"1000k"} `,
			[]core.Profile{{Name: "custom_640x360_1000000", Width: 640, Height: 360, Bitrate: 1_000_000}}},
		{"one side only", `[{"height":240}]`, []core.Profile{{Name: "custom_0x240_0", Height: 240}}},
		{"everything", `[{"name":"x","width":2,"height":3,"bitrate":"5","fps":30000,"fpsDen":1001,` +
			`"profile":"h264constrainedhigh","gop":"intra","encoder":"hevc","quality":23,"colorDepth":2,"chromaFormat":1,` +
			`"unknown":[{}]}]`,
			[]core.Profile{{Name: "x", Width: 2, Height: 3, Bitrate: 5, FPS: core.Framerate{Num: 30000, Den: 1001},
				Profile: core.ProfileConstrainedHigh, GOP: core.GOPIntra, Encoder: core.CodecHEVC, Quality: 23, ColorDepth: 2,
				Chroma: core.Chroma422}}},
		{"keys in another case", `[{"Name":"x","WIDTH":2,"fpsden":1,"FPS":3,"Gop":"0"}]`,
			[]core.Profile{{Name: "x", Width: 2, FPS: core.Framerate{Num: 3, Den: 1}}}},
		{"numbers where text is usual", `[{"name":"x","width":2,"gop":1.5,"bitrate":null,"encoder":"VP9","profile":"none"}]`,
			[]core.Profile{{Name: "x", Width: 2, GOP: core.GOP(1500 * time.Millisecond), Encoder: core.CodecVP9}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := core.ParseProfilesJSON([]byte(row.in))
			if err != nil || !slices.Equal(got, row.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, row.want)
			}
		})
	}
}

func TestParseProfilesJSONRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		in     string
		code   fault.Code
		detail string
	}{
		{`[{"width":0,"height":0}]`, fault.TranscoderInvalidResolution, "profile 1: width 0, height 0"},
		{`[{"width":2},{"width":-2,"height":2}]`, fault.TranscoderInvalidResolution, "profile 2: width -2, height 2"},
		{`[{"width":1000000}]`, fault.TranscoderInvalidResolution, "profile 1: width 1000000, height 0"},
		{`[{"width":2,"profile":"H264Extended"}]`, fault.TranscoderUnrecognizedProfile, `profile 1: profile "H264Extended"`},
		{`[{"width":2,"encoder":"AV1"}]`, fault.TranscoderUnrecognizedProfile, `profile 1: encoder "AV1"`},
		{`[{"width":2,"gop":"-1"}]`, fault.TranscoderInvalidGOP, `profile 1: gop "-1"`},
		{`[{"width":2,"gop":"often"}]`, fault.TranscoderInvalidGOP, `profile 1: gop "often"`},
		{`[{"width":2,"gop":"NaN"}]`, fault.TranscoderInvalidGOP, `profile 1: gop "NaN"`},
		{`[{"width":2,"gop":"inf"}]`, fault.TranscoderInvalidGOP, `profile 1: gop "inf"`},
		{`[{"width":2,"quality":64}]`, fault.InvalidProfiles, "profile 1: quality 64 is above 63"},
		{`[{"width":2,"colorDepth":9}]`, fault.InvalidProfiles, "profile 1: colorDepth 9 is not 0 to 8"},
		{`[{"width":2,"chromaFormat":3}]`, fault.InvalidProfiles, "profile 1: chromaFormat 3 is not 0 to 2"},
		{`[{"width":2,"name":"../../x"}]`, fault.InvalidProfiles, `profile 1: name "../../x" cannot be part of a path`},
		{`[{"width":2,"name":".."}]`, fault.InvalidProfiles, `profile 1: name ".." cannot be part of a path`},
		{`[{"width":2,"bitrate":"fast"}]`, fault.InvalidProfiles, `bitrate "fast" is not a number of bits per second`},
		{`[{"width":2,"bitrate":-1}]`, fault.InvalidProfiles, `bitrate "-1" is not a number of bits per second`},
		{`[{"width":2,"bitrate":"3000000k"}]`, fault.InvalidProfiles,
			`bitrate "3000000k" is not a number of bits per second`},
		{`[{"width":2,"bitrate":[]}]`, fault.InvalidProfiles, ""},
		{`[{"width":"wide"}]`, fault.InvalidProfiles, ""},
		{`[{"width":2,"fps":-1}]`, fault.InvalidProfiles, ""},
		{`[] []`, fault.InvalidProfiles, "text after the end of the JSON value, at byte 4"},
		{``, fault.InvalidProfiles, "EOF"},
		{`P240p30fps16x9`, fault.InvalidProfiles, ""},
		{"[" + strings.Repeat(`{"width":2},`, 64) + `{"width":2}]`, fault.InvalidProfiles, "more than 64 profiles"},
		{strings.Repeat(" ", 256<<10+1), fault.InvalidProfiles, "text of 262145 bytes is longer than 262144"},
	} {
		got, err := core.ParseProfilesJSON([]byte(row.in))
		if got != nil || fault.CodeOf(err) != row.code {
			t.Errorf("%.60s: %v, %v, want %s", row.in, got, err, row.code)
			continue
		}
		if _, text := fault.Public(err); row.detail != "" && text != row.detail {
			t.Errorf("%.60s: %q, want %q", row.in, text, row.detail)
		}
	}
}

func TestParseGOP(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]core.GOP{
		"": 0, "0": 0, "0.0": 0, "intra": core.GOPIntra, "1": core.GOP(time.Second), "0.5": core.GOP(500 * time.Millisecond),
		"0.0001": core.GOP(time.Millisecond), "3600": core.GOP(time.Hour), "1e0": core.GOP(time.Second),
	} {
		if got, ok := core.ParseGOP(text); !ok || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"-0.1", "3601", "Intra ", "1s", " 1"} {
		if got, ok := core.ParseGOP(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// FuzzProfilesJSON: whatever the text, it gives a fault with a code, or profiles
// within the limits.
func FuzzProfilesJSON(f *testing.F) {
	f.Add(
		[]byte(
			`[{"name":"720p","width":1280,"height":720,"bitrate":"3000k","fps":30,"fpsDen":1,"profile":"H264High","gop":"2.0"}]`,
		),
	)
	f.Add([]byte(`{"height":240,"encoder":"HEVC","gop":"intra","quality":23}`))
	f.Add([]byte(`[{"width":1e9}]`))
	f.Add([]byte(`[null]`))
	f.Add([]byte(`[[[[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		profiles, err := core.ParseProfilesJSON(data)
		if err != nil {
			if fault.CodeOf(err) == fault.Unexpected || fault.Wire(err) == "" {
				t.Fatalf("error without a code: %v", err)
			}
			return
		}
		for _, p := range profiles {
			if p.Name == "" || len(p.Name) > 200 || strings.ContainsAny(p.Name, "/\\\n") {
				t.Fatalf("name %q", p.Name)
			}
			if p.Width < 0 || p.Height < 0 || p.Width+p.Height == 0 || p.Bitrate < 0 || p.Quality < 0 ||
				p.GOP < 0 && p.GOP != core.GOPIntra {
				t.Fatalf("profile %+v", p)
			}
		}
	})
}
