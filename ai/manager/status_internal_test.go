package manager

import "testing"

// The version of several runners is the lowest, in whatever order they come.
func TestTheLowerVersion(t *testing.T) {
	for _, row := range []struct{ a, b, want string }{
		{"1.0.0", "1.0.1", "1.0.0"},
		{"1.0.0", "0.9.9", "0.9.9"},
		{"1.0.0", "1.0.0", "1.0.0"},
		{"1.0.0", "", ""},
		{"1.0.0", "latest", "latest"},
		{"", "latest", ""},
	} {
		if one, other := lower(row.a, row.b), lower(row.b, row.a); one != row.want || other != row.want {
			t.Errorf("%q and %q: %q and %q, want %q", row.a, row.b, one, other, row.want)
		}
	}
}
