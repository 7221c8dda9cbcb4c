package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tuttinode/tutti/core"
)

// moved is what was taken over, or would be: the outcome as JSON has it.
type moved struct {
	From    string     `json:"from"`
	To      string     `json:"to"`
	ChainID uint64     `json:"chainId"`
	DryRun  bool       `json:"dryRun"`
	Keys    []movedKey `json:"keys"`
	// Unredeemed are winning tickets that are not redeemed; New were not known here.
	Unredeemed int      `json:"unredeemed"`
	New        int      `json:"new"`
	Worth      core.Wei `json:"worthWei"`
	FirstRound uint64   `json:"firstRound"`
	LastRound  uint64   `json:"lastRound"`
	Redeemed   int      `json:"redeemed"`
	Damaged    []string `json:"damaged"`
	// Models is the directory of AI models that stay where they are, "" for none.
	Models string `json:"models"`
	// Running is the process that works with the existing node's directory, "" for none.
	Running string `json:"running"`
}

type movedKey struct {
	Account core.Address `json:"account"`
	File    string       `json:"file"`
	// New: it is copied; otherwise it was here before.
	New bool `json:"new"`
}

func (m *MigrateTool) show(o *moved) error {
	if m.json {
		e := json.NewEncoder(m.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(o)
	}
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-15s "+format+"\n", append([]any{name}, args...)...)
	}
	line("existing node", "%s", o.From)
	line("this node", "%s", o.To)
	if len(o.Keys) == 0 {
		line("keys", "none")
	}
	for _, k := range o.Keys {
		line("key", "%s %s", k.Account, keyWords(k, o.DryRun))
	}
	line("tickets", "%s", ticketWords(o))
	for _, why := range o.Damaged {
		line("", "cannot be used: %s", why)
	}
	if o.Models != "" {
		line("AI models", "stay in %s; -aiModelsDir %s uses them", o.Models, o.Models)
	}
	if o.Running != "" {
		line("in the way", "%s works with it; stop it first", o.Running)
	}
	b.WriteString("\n" + lastWords(o) + "\n")
	_, err := io.WriteString(m.Stdout, b.String())
	return err
}

func keyWords(k movedKey, dry bool) string {
	switch {
	case !k.New:
		return "is known here"
	case dry:
		return "is copied"
	}
	return "was copied to " + k.File
}

func ticketWords(o *moved) string {
	text := fmt.Sprintf("none won and not redeemed; %d were redeemed before", o.Redeemed)
	if o.Unredeemed > 0 {
		text = fmt.Sprintf("%d won and not redeemed, worth %s ETH, of rounds %d to %d; %d new here; %d were redeemed before",
			o.Unredeemed, o.Worth.Ether(), o.FirstRound, o.LastRound, o.New, o.Redeemed)
	}
	return text
}

func lastWords(o *moved) string {
	if o.DryRun {
		return "Nothing was changed. `tutti migrate` with the same flags does it, and so does the node's start."
	}
	return "The existing node's directory is as it was. The node redeems what is still good on the chain, once it runs " +
		"with the same flags."
}
