package manual

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
)

// Shells are those with completions.
var Shells = []string{"bash", "zsh", "fish"}

// WriteCompletion writes a shell's completion.
func WriteCompletion(w io.Writer, shell string, t verb.Table) error {
	var text string
	switch shell {
	case "bash":
		text = bash(t)
	case "zsh":
		text = zsh(t)
	case "fish":
		text = fish(t)
	default:
		return fmt.Errorf("there are completions for %s", strings.Join(Shells, ", "))
	}
	_, err := io.WriteString(w, text)
	return err
}

// first are the first words of all verbs, once each.
func first(t verb.Table) []string {
	var out []string
	for _, v := range t {
		if w := v.Words()[0]; !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// second are the words that may follow a first one.
func second(t verb.Table, word string) []string {
	var out []string
	for _, v := range t.Under(word) {
		out = append(out, v.Words()[1])
	}
	return out
}

func globalNames() string {
	var out []string
	for _, g := range verb.Globals() {
		out = append(out, "--"+g.Name)
	}
	return strings.Join(out, " ")
}

func fieldNames(v *verb.Verb) string {
	var out []string
	for _, f := range v.Fields {
		out = append(out, "--"+f.Name)
	}
	return strings.Join(out, " ")
}

// words are the plain words that a verb's first word field may be.
func words(v *verb.Verb) string {
	for _, f := range v.Fields {
		if f.Word {
			return strings.Join(f.Choices, " ")
		}
	}
	return ""
}

func bash(t verb.Table) string {
	var b strings.Builder
	b.WriteString("# bash completion of tutti_cli, generated from its table of verbs\n_tutti_cli() {\n")
	b.WriteString("    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=() w options choices\n")
	b.WriteString("    for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do [[ $w == -* ]] || verb+=(\"$w\"); done\n")
	b.WriteString("    case $prev in\n")
	for _, g := range verb.Globals() {
		if len(g.Choices) > 0 {
			fmt.Fprintf(&b, "        --%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", g.Name,
				strings.Join(g.Choices, " "))
		}
	}
	b.WriteString("        --token-file|--dataDir|--file|--key-file|--password-file|--keystore) COMPREPLY=($(compgen " +
		"-f -- \"$cur\")); return ;;\n    esac\n")
	fmt.Fprintf(&b, "    options='%s'\n    choices='%s'\n    case \"${verb[0]:-}\" in\n", globalNames(),
		strings.Join(first(t), " "))
	for _, w := range first(t) {
		bashWord(&b, t, w)
	}
	b.WriteString("    esac\n    if [[ $cur == -* ]]; then choices=$options; fi\n    COMPREPLY=($(compgen -W " +
		"\"$choices\" -- \"$cur\"))\n}\ncomplete -F _tutti_cli tutti_cli\n")
	return b.String()
}

func bashWord(b *strings.Builder, t verb.Table, w string) {
	under := second(t, w)
	fmt.Fprintf(b, "        %s)\n            choices='%s'\n", w, strings.Join(under, " "))
	if v, _ := t.Find([]string{w}); v != nil {
		fmt.Fprintf(b, "            choices+=' %s' options+=' %s'\n", words(v), fieldNames(v))
	}
	if len(under) > 0 {
		b.WriteString("            case \"${verb[1]:-}\" in\n")
		for _, v := range t.Under(w) {
			fmt.Fprintf(b, "                %s) choices='%s' options+=' %s' ;;\n", v.Words()[1], words(v), fieldNames(v))
		}
		b.WriteString("            esac\n")
	}
	b.WriteString("            ;;\n")
}

func zsh(t verb.Table) string {
	return "#compdef tutti_cli\n# zsh completion of tutti_cli, generated from its table of verbs\nautoload -U +X " +
		"bashcompinit && bashcompinit\n" +
		strings.TrimPrefix(bash(t), "# bash completion of tutti_cli, generated from its table of verbs\n")
}

func fish(t verb.Table) string {
	var b strings.Builder
	b.WriteString("# fish completion of tutti_cli, generated from its table of verbs\ncomplete -c tutti_cli -f\n")
	for _, g := range verb.Globals() {
		fmt.Fprintf(&b, "complete -c tutti_cli -l %s%s -d %s\n", g.Name, fishValue(g.Meta, g.Choices), quote(g.Help))
	}
	for _, w := range first(t) {
		about := "verbs of " + w
		if v, _ := t.Find([]string{w}); v != nil {
			about = v.Short
		}
		fmt.Fprintf(&b, "complete -c tutti_cli -n __fish_use_subcommand -a %s -d %s\n", w, quote(about))
	}
	for _, v := range t {
		fishVerb(&b, v)
	}
	return b.String()
}

func fishVerb(b *strings.Builder, v *verb.Verb) {
	w := v.Words()
	seen := "__fish_seen_subcommand_from " + w[0]
	if len(w) > 1 {
		fmt.Fprintf(b, "complete -c tutti_cli -n '%s' -a %s -d %s\n", seen, w[1], quote(v.Short))
		seen += "; and __fish_seen_subcommand_from " + w[1]
	}
	if choices := words(v); choices != "" {
		fmt.Fprintf(b, "complete -c tutti_cli -n '%s' -a '%s'\n", seen, choices)
	}
	for _, f := range v.Fields {
		fmt.Fprintf(b, "complete -c tutti_cli -n '%s' -l %s%s -d %s\n", seen, f.Name, fishValue(f.Meta, f.Choices),
			quote(f.Help))
	}
}

func fishValue(meta string, choices []string) string {
	switch {
	case meta == "":
		return ""
	case len(choices) > 0:
		return " -x -a '" + strings.Join(choices, " ") + "'"
	case meta == "FILE" || meta == "DIR":
		return " -r -F"
	}
	return " -x"
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `\'`) + "'" }
