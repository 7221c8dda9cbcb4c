package fetchurl

import (
	"slices"
	"strings"
)

// Climbs reports whether a path has a part that leads upwards: servers may take it as one out of the path that
// the operator or the runner gave. Some servers drop what follows a semicolon in a part first.
func Climbs(path string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' }),
		func(part string) bool {
			name, _, _ := strings.Cut(part, ";")
			return name == ".."
		})
}
