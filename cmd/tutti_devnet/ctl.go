package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/devnet/control"
)

const ctlUsage = `usage: tutti_devnet ctl [-control url] method [argument ...]

Calls a method of the control API and prints its result as JSON. Arguments are
JSON; what is no JSON is taken as text, so that 250ms and 0x addresses need no
quotes. Amounts are written 1.5ETH or 1000LPT, or as decimal numbers of the
smallest unit in quotes: '"1000"'.

`

// ctl calls the control API of a running chain.
func ctl(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("tutti_devnet ctl", flag.ContinueOnError)
	fs.SetOutput(stderr)
	url := fs.String("control", "http://127.0.0.1:8544", "address of the control API, as tutti_devnet prints it")
	fs.Usage = func() {
		fmt.Fprint(stderr, ctlUsage)
		fs.PrintDefaults()
	}
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	if fs.NArg() == 0 {
		fs.Usage()
		return exitUsage
	}
	client := control.New(*url)
	defer client.Close()
	var result json.RawMessage
	if err := client.Call(ctx, &result, "devnet_"+strings.TrimPrefix(fs.Arg(0), "devnet_"),
		arguments(fs.Args()[1:])...); err != nil {
		fmt.Fprintln(stderr, "tutti_devnet:", err)
		return exitFailed
	}
	if err := show(stdout, result); err != nil {
		fmt.Fprintln(stderr, "tutti_devnet:", err)
		return exitFailed
	}
	return exitOK
}

// arguments takes what is JSON as such, amounts as smallest units, and everything
// else as text.
func arguments(args []string) []any {
	params := make([]any, len(args))
	for i, arg := range args {
		if units, ok := amount(arg); ok {
			params[i] = units
		} else if json.Valid([]byte(arg)) {
			params[i] = json.RawMessage(arg)
		} else {
			params[i] = arg
		}
	}
	return params
}

// amount reads 1.5ETH and 1000LPT.
func amount(arg string) (units string, ok bool) {
	if n, found := strings.CutSuffix(arg, "ETH"); found {
		wei, err := core.ParseEther(n)
		return wei.String(), err == nil
	}
	n, found := strings.CutSuffix(arg, "LPT")
	lpt, err := core.ParseTokens(n)
	return lpt.String(), found && err == nil
}

func show(w io.Writer, result json.RawMessage) error {
	if len(result) == 0 || string(result) == "null" {
		return nil
	}
	var value any
	if err := json.Unmarshal(result, &value); err != nil {
		return err
	}
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, string(text))
	return err
}
