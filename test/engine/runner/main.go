// Command runner is a fake AI runner for tests: it answers what the network's
// runner contract has for llm and misbehaves as told. It runs no model; its words
// are numbers.
//
// Variables, all optional:
//
//	PIPELINE, MODEL_ID      what it says that it is
//	FAKE_EXIT               end at start with this status …
//	FAKE_SAY                … after printing this
//	FAKE_EAT_MB             take this much memory at start
//	FAKE_LISTEN_AFTER       duration before it listens, as runners of batch pipelines do
//	FAKE_LOAD               duration for which health is LOADING
//	FAKE_HEALTH             health after that instead of OK: ERROR, IDLE or anything
//	FAKE_VERSION            what /version says, 0.14.1 if unset
//	FAKE_WORDS              words in an answer, 8 if unset; max_tokens is less
//	FAKE_WORD_EVERY         duration between words of a stream
//	FAKE_BREAK_AFTER        an error event ends a stream after so many words
//	PORT                    where it listens, 8000 if unset
//	FAKE_DEAF               if set, SIGTERM is ignored
//
// POST /__die ends it with status 7; POST /__health with a status as body changes
// what health says; POST /__eat with a number as body takes so many MB.
package main

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

func main() {
	fmt.Println("fake runner of", os.Getenv("PIPELINE"), os.Getenv("MODEL_ID"))
	if said := os.Getenv("FAKE_SAY"); said != "" {
		fmt.Fprintln(os.Stderr, said)
	}
	if status, err := strconv.Atoi(os.Getenv("FAKE_EXIT")); err == nil {
		os.Exit(status)
	}
	eat(number("FAKE_EAT_MB", 0))
	stop := make(chan os.Signal, 1)
	if os.Getenv("FAKE_DEAF") != "" {
		signal.Ignore(syscall.SIGTERM)
	} else {
		signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	}
	<-time.After(duration("FAKE_LISTEN_AFTER"))
	r := newRunner()
	failed := make(chan error, 1)
	go func() { failed <- http.ListenAndServe(":"+otherwise(os.Getenv("PORT"), "8000"), r.routes()) }()
	select {
	case err := <-failed:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case <-stop:
		fmt.Println("fake runner stops")
	case <-r.die:
		fmt.Fprintln(os.Stderr, "fake runner dies as told")
		os.Exit(7)
	}
}

// eat takes memory and touches it.
func eat(megabytes int) {
	var kept [][]byte
	for range megabytes {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		kept = append(kept, block)
	}
	if megabytes > 0 {
		fmt.Println("ate", len(kept), "MB")
	}
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func duration(name string) time.Duration {
	d, _ := time.ParseDuration(os.Getenv(name))
	return d
}
