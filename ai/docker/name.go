package docker

import (
	"strconv"
	"strings"
)

// maxNamePart bounds the parts of a name, which appears in every list and log.
const maxNamePart = 100

// Name returns a container's name in the existing node's format:
// llm_meta-llama-Meta-Llama-3.1-8B-Instruct_8500. The port makes it unique.
// Bytes that are invalid in a container's name become "-".
func Name(pipeline, model string, port uint16) string {
	return namePart(pipeline) + "_" + namePart(model) + "_" + strconv.Itoa(int(port))
}

func namePart(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '-':
			return r
		}
		return '-'
	}, s)
	// The first byte of a name is a letter or digit.
	s = strings.TrimLeft(s[:min(len(s), maxNamePart)], ".-")
	if s == "" {
		return "x"
	}
	return s
}
