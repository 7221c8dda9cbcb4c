package core_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

func TestPresetVectors(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../test/vectors/profiles.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Profiles []struct {
			Name                   string
			Width, Height, Bitrate int
			FPS                    uint32
			ID                     string `json:"id_hex"`
			Listed                 bool   `json:"in_name_lookup"`
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	presets := core.Presets()
	if len(presets) != len(file.Profiles) || len(presets) == 0 {
		t.Fatalf("%d presets, %d vectors", len(presets), len(file.Profiles))
	}
	for i, v := range file.Profiles {
		want := core.Profile{
			Name:    v.Name,
			Width:   v.Width,
			Height:  v.Height,
			Bitrate: v.Bitrate,
			FPS:     core.Framerate{Num: v.FPS},
		}
		got := presets[i]
		if got.Profile != want || hex.EncodeToString(got.ID[:]) != v.ID || got.Unlisted == v.Listed {
			t.Errorf("preset %+v, want %+v", got, v)
		}
		if p, ok := core.PresetByName(v.Name); ok != v.Listed || ok && p != want {
			t.Errorf("%s by name: %+v, %v", v.Name, p, ok)
		}
	}
}

func TestParsePresets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ list, want string }{
		{core.DefaultPresets, "P240p30fps16x9 P360p30fps16x9"},
		{" P720p30fps4x3 , ,P144p30fps16x9,", "P720p30fps4x3 P144p30fps16x9"},
		{"", ""},
	} {
		got, err := core.ParsePresets(row.list)
		if err != nil {
			t.Errorf("%q: %v", row.list, err)
		}
		var names []string
		for _, p := range got {
			names = append(names, p.Name)
		}
		if strings.Join(names, " ") != row.want {
			t.Errorf("%q: %v", row.list, names)
		}
	}
	for list, want := range map[string]string{
		"P240p30fps16x9,P999":                  `preset "P999" is unknown`,
		"P144p25fps16x9":                       `preset "P144p25fps16x9" is unknown`,
		"p240p30fps16x9":                       `preset "p240p30fps16x9" is unknown`,
		strings.Repeat("P240p30fps16x9,", 65):  "more than 64 profiles",
		"P240p30fps16x9;P360p30fps16x9 -quiet": `preset "P240p30fps16x9;P360p30fps16x9 -quiet" is unknown`,
	} {
		_, err := core.ParsePresets(list)
		if fault.CodeOf(err) != fault.InvalidProfiles || fault.Wire(err) != want {
			t.Errorf("%.40q: %v, want %q", list, err, want)
		}
	}
}
