package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// announce prints what a person needs.
func announce(w io.Writer, opt options, info control.Info) error {
	text := fmt.Sprintf("tutti_devnet: chain %d\n", info.ChainID)
	for _, url := range info.Endpoints {
		text += "  endpoint    " + url + "\n"
	}
	text += "  control     " + info.Control + "\n"
	if info.Controller != (common.Address{}) {
		text += fmt.Sprintf("  controller  %v\n  AI registry %v\n  price feed  %v\n", info.Controller,
			info.AIServiceRegistry, info.PriceFeed)
	}
	for n, address := range info.Accounts {
		text += fmt.Sprintf("  account %-3d %v", n, address)
		if opt.keys {
			text += fmt.Sprintf("  %#x", crypto.FromECDSA(control.AccountKey(uint64(n))))
		}
		text += "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// writeReady writes the file in one step, so that a reader never sees half of it.
func writeReady(path string, info control.Info) error {
	text, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".ready")
	if err != nil {
		return fmt.Errorf("write the ready file: %w", err)
	}
	_, err = file.Write(append(text, '\n'))
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write the ready file: %w", err)
	}
	return os.Rename(file.Name(), path)
}
