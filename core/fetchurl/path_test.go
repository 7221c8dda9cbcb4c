package fetchurl_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/fetchurl"
)

func TestClimbs(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"": false, "a/b": false, "a..b/..c": false, "a/.../b": false, "a;../b": false, "./a": false,
		"..": true, "../a": true, "a/../b": true, "a/..": true, `a\..\b`: true, "a/..;x/b": true, "..;": true,
		"a/..;v=1": true,
	} {
		if got := fetchurl.Climbs(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}
