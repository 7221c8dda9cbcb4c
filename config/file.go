package config

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/fault"
)

// parseFile reads a configuration file: one option per line, key, white space,
// value to the end of the line. "#" begins a comment at the start of a line or
// after white space. A key alone means true. Of a repeated key the last counts.
func parseFile(path string, content []byte, n names) (found map[string][]given, problems []*Problem,
	meant map[string]bool) {
	found, meant = map[string][]given{}, map[string]bool{}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	number := 0
	for line := range bytes.Lines(content) {
		number++
		key, value := splitLine(string(bytes.TrimRight(line, "\r\n")))
		if key == "" {
			continue
		}
		origin := Origin{Source: FromFile, Name: key, File: path, Line: number}
		o := n.find(key)
		switch {
		case !utf8.Valid(line) || bytes.ContainsFunc(bytes.TrimRight(line, "\r\n"),
			func(r rune) bool { return r != '\t' && unicode.IsControl(r) }):
			problems = append(problems, &Problem{Code: fault.ConfigUnreadable, Origin: origin, Subject: "this line",
				Text: "it is not text in UTF-8", Remedy: "correct or delete the line"})
		case o == nil:
			problem, close := unknownKey(origin, n)
			problems = append(problems, problem)
			meant[close] = true
		case o.flagOnly || o.name == "config":
			problems = append(problems, &Problem{Code: fault.UnknownConfigKey, Subject: key, Origin: origin,
				Text: "this option works on the command line only", Remedy: "delete the line"})
		default:
			g := given{value: value, origin: origin}
			if value == "" {
				g.alone, g.value = true, "true"
				if t := o.valueType(); !t.isSwitch {
					problems = append(problems, &Problem{Code: fault.BadOption, Subject: key, Origin: origin,
						Text: "the value is missing", Remedy: "write " + origin.spell(t.example, false)})
					meant[o.name] = true
					continue
				}
			}
			found[o.name] = append(found[o.name], g)
		}
	}
	return found, problems, meant
}

// splitLine takes the comment off and parts the key from the value.
func splitLine(line string) (key, value string) {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return "", ""
	}
	for i := 1; i < len(line); i++ {
		if line[i] == '#' && (line[i-1] == ' ' || line[i-1] == '\t') {
			line = strings.TrimSpace(line[:i])
			break
		}
	}
	if i := strings.IndexFunc(line, unicode.IsSpace); i >= 0 {
		return line[:i], strings.TrimSpace(line[i:])
	}
	return line, ""
}

// unknownKey explains a key that is no option; close is the option that was
// probably meant.
func unknownKey(origin Origin, n names) (problem *Problem, close string) {
	problem = &Problem{Code: fault.UnknownConfigKey, Subject: show(origin.Name), Origin: origin,
		Text: "there is no such option", Remedy: "delete the line; tutti -help lists all options"}
	key := strings.TrimLeft(origin.Name, "-")
	if i := strings.IndexAny(key, "=:"); i >= 0 {
		// What follows the sign may be a secret.
		key = key[:i]
		problem.Subject = show(origin.Name[:strings.IndexAny(origin.Name, "=:")+1])
	}
	if instead, ok := retired()[key]; ok {
		problem.Code, problem.Text, problem.Remedy = fault.OptionRetired, "this option no longer exists", instead
		return problem, ""
	}
	if o := n.find(key); o != nil {
		problem.Text = "keys are written without dash, colon and equals sign"
		problem.Remedy = "write " + key + " and the value behind a space"
		return problem, o.name
	}
	if near, _ := fault.SuggestName(key, n.spellings()); near != "" {
		problem.Remedy = "did you mean " + near + "?"
		return problem, n.find(near).name
	}
	return problem, ""
}
