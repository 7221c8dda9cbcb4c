package action

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Signature is what the signing verbs answer.
type Signature struct{ adminapi.Signature }

// Print writes the signature.
func (s Signature) Print(p *console.Page) {
	defer p.Flush()
	p.Row("Account", s.Address)
	p.Row("Signature", s.Signature.Signature)
}

func fileField() verb.Field {
	return verb.Field{Name: "file", Meta: "FILE", Help: "read it from a file instead"}
}

func signMessage() *verb.Verb {
	return &verb.Verb{Name: "sign message", Menu: "Sign a message", Chain: true,
		Short:  "Sign a text with the node's account, as a personal message.",
		Fields: []verb.Field{{Name: "message", Word: true, Meta: "TEXT", Help: "the text"}, fileField()}, Result: Signature{},
		Ask: askText("message", "The message"),
		Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
			text, err := givenText(c, "message")
			if err != nil {
				return nil, err
			}
			return sign(ctx, c, adminapi.SignRequest{Message: &text})
		}}
}

func signTypedData() *verb.Verb {
	return &verb.Verb{Name: "sign typed-data", Menu: "Sign typed data", Chain: true, Changes: true,
		Short:  "Sign an EIP-712 document with the node's account.",
		Long:   "Such a signature can allow others to spend from the account: sign only what you understand.",
		Fields: []verb.Field{{Name: "data", Word: true, Meta: "JSON", Help: "the document"}, fileField()},
		Result: Signature{},
		Ask:    askText("data", "The document as JSON"), Run: runTypedData}
}

func runTypedData(ctx context.Context, c *verb.Call) (verb.Result, error) {
	text, err := givenText(c, "data")
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return nil, verb.Mistake("the document is no JSON object: " + err.Error())
	}
	if c.Set.DryRun {
		return nil, verb.Mistake("a signature has no dry run")
	}
	if err := c.Agree(ctx, "Such a signature can allow others to spend from the account. Sign it?"); err != nil {
		return nil, err
	}
	return sign(ctx, c, adminapi.SignRequest{TypedData: json.RawMessage(text)})
}

func askText(name, question string) func(context.Context, *verb.Call) error {
	return func(ctx context.Context, c *verb.Call) error {
		text, err := c.Lines(ctx, question)
		c.Put(name, text)
		return err
	}
}

func givenText(c *verb.Call, name string) (string, error) {
	text, file := verb.Ref[string](c, name), verb.Ref[string](c, "file")
	switch {
	case text != nil && file != nil:
		return "", verb.Mistake("give the text or --file, not both")
	case file != nil:
		content, err := c.World.ReadFile(*file)
		if err != nil {
			return "", verb.Mistake("--file: " + err.Error())
		}
		return strings.TrimSuffix(string(content), "\n"), nil
	case text == nil || *text == "":
		return "", verb.Mistake("there is nothing to sign: give it as a word, or with --file")
	}
	return *text, nil
}

func sign(ctx context.Context, c *verb.Call, request adminapi.SignRequest) (verb.Result, error) {
	var s adminapi.Signature
	if err := c.Node.Post(ctx, adminapi.PathSign, nil, request, &s); err != nil {
		return nil, err
	}
	if s.Signature == "" {
		return nil, errors.New("the node gave no signature")
	}
	return Signature{s}, nil
}
