package packages

import (
	"encoding/json"
	"strings"
	"testing"
)

// Every part has a version and a license that is known, and what the programs as a
// whole are under is what their strictest parts demand.
func TestBillOfMaterials(t *testing.T) {
	t.Parallel()
	var bill struct {
		Format     string `json:"bomFormat"`
		Components []struct {
			Name, Version string
			Licenses      []struct{ Expression string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, pack(t, ".cdx.json"))), &bill); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, c := range bill.Components {
		if c.Version == "" || len(c.Licenses) == 0 || strings.Contains(c.Licenses[0].Expression, "NOASSERTION") {
			t.Errorf("%+v: version or license is not known", c)
			continue
		}
		found[c.Name] = c.Licenses[0].Expression
	}
	for name, license := range map[string]string{
		"ffmpeg": "GPL-2.0-or-later", "x264": "GPL-2.0-or-later", "dav1d": "BSD-2-Clause", "zlib": "Zlib",
		"lame": "LGPL-2.0-or-later",
		"std":  "BSD-3-Clause", "hls.js": "Apache-2.0",
		"libffmpeg-nvenc-dev": "MIT", "github.com/ethereum/go-ethereum": "LGPL-3.0-or-later", "tutti": "GPL-3.0-or-later",
	} {
		if found[name] != license {
			t.Errorf("%s is under %q, want %q", name, found[name], license)
		}
	}
	if bill.Format != "CycloneDX" || len(found) < 40 {
		t.Errorf("%s with %d parts", bill.Format, len(found))
	}
}
