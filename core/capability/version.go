package capability

import (
	"cmp"
	"regexp"
	"strconv"
)

// semanticVersion may have a leading v; minor and patch may be left out. Groups 1
// to 3 are the numbers; pre-release and build parts are allowed and ignored. Read-only.
var semanticVersion = regexp.MustCompile(
	`^v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.` +
		`[0-9A-Za-z-]+)*)?$`)

// maxVersionBytes bounds the text that is looked at; a longer one is no version.
const maxVersionBytes = 256

type release [3]uint64

func parseRelease(text string) (release, bool) {
	if len(text) > maxVersionBytes {
		return release{}, false
	}
	m := semanticVersion.FindStringSubmatch(text)
	if m == nil {
		return release{}, false
	}
	var r release
	for i, part := range m[1:4] {
		if part == "" {
			continue
		}
		n, err := strconv.ParseUint(part, 10, 64)
		if err != nil {
			return release{}, false
		}
		r[i] = n
	}
	return r, true
}

func (r release) compare(other release) int {
	return cmp.Or(cmp.Compare(r[0], other[0]), cmp.Compare(r[1], other[1]), cmp.Compare(r[2], other[2]))
}

// VersionOK reports whether version satisfies the minimum, by the network's
// rule: no minimum takes anything, a minimum that is no version takes any version
// that is set; pre-release parts do not count, so that 0.8.1-0-gabc is 0.8.1.
func VersionOK(minimum, version string) bool {
	if minimum == "" {
		return true
	}
	if version == "" || version == "undefined" {
		return false
	}
	low, ok := parseRelease(minimum)
	if !ok {
		return true
	}
	have, ok := parseRelease(version)
	return ok && have.compare(low) >= 0
}
