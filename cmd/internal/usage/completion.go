package usage

import (
	"fmt"
	"io"
	"strings"
)

// Shells are those with completions.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// WriteCompletion writes a shell's completion of `tutti`.
func WriteCompletion(w io.Writer, shell string) error {
	var text string
	switch shell {
	case "bash":
		text = bash()
	case "zsh":
		text = "#compdef tutti\nautoload -U +X bashcompinit && bashcompinit\n" + bash()
	case "fish":
		text = fish()
	default:
		return fmt.Errorf("there is no completion for %q: it is bash, zsh or fish%s", shell, DidYouMean(shell, Shells()))
	}
	_, err := io.WriteString(w, text)
	return err
}

func bash() string {
	var b strings.Builder
	b.WriteString("# bash completion of tutti, generated from its tables of commands and options\n_tutti() {\n" +
		"    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} choices=''\n" +
		"    case $prev in\n" +
		"        -config|-dataDir|-aiModels|-ethPassword|-orchSecret|-tlsCert|-tlsKey|-moveFrom)\n" +
		"            COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n    esac\n" +
		"    if ((COMP_CWORD == 1)); then\n")
	fmt.Fprintf(&b, "        choices='%s'\n    elif ((COMP_CWORD == 2)); then\n        case $prev in\n",
		strings.Join(Names(), " "))
	for _, c := range Commands() {
		words := strings.Join(c.Words, " ")
		if c.Name == "help" {
			words += " " + strings.Join(Names(), " ")
		}
		if words != "" {
			fmt.Fprintf(&b, "            %s) choices='%s' ;;\n", c.Name, words)
		}
	}
	fmt.Fprintf(&b, "        esac\n    fi\n    if [[ $cur == -* ]]; then choices='%s'; fi\n", options())
	b.WriteString("    COMPREPLY=($(compgen -W \"$choices\" -- \"$cur\"))\n}\ncomplete -o default -F _tutti tutti\n")
	return b.String()
}

func fish() string {
	var b strings.Builder
	b.WriteString("# fish completion of tutti, generated from its tables of commands and options\n")
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `\'`) + "'" }
	for _, c := range Commands() {
		fmt.Fprintf(&b, "complete -c tutti -n __fish_use_subcommand -f -a %s -d %s\n", c.Name, quote(c.Short))
		if len(c.Words) > 0 {
			fmt.Fprintf(&b, "complete -c tutti -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", c.Name,
				strings.Join(c.Words, " "))
		}
	}
	for _, name := range strings.Fields(options()) {
		fmt.Fprintf(&b, "complete -c tutti -o %s\n", strings.TrimPrefix(name, "-"))
	}
	return b.String()
}
