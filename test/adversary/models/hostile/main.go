// Command hostile is a model server that attacks what is around it. It answers the
// network's runner contract well enough to be ready, and makes one attempt per
// request to /__try: at the network, the file system, the kernel and the machine's
// memory and processes.
//
// Only test/adversary/models runs it, as the one program of a container.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

func main() {
	if len(os.Args) > 1 {
		child(os.Args[1:])
		return
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	failed := make(chan error, 1)
	go func() { failed <- http.ListenAndServe(":8000", routes()) }()
	select {
	case err := <-failed:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case <-stop:
	}
}

// child is what a bomb consists of: "wait" stays until it is killed, "eat" takes so
// many MiB of memory and touches them.
func child(args []string) {
	if args[0] == "eat" {
		n, _ := strconv.Atoi(args[1])
		eat(n)
		return
	}
	forever := make(chan os.Signal, 1)
	signal.Notify(forever, syscall.SIGTERM)
	<-forever
}

type object map[string]any

func routes() http.Handler {
	m := http.NewServeMux()
	say := func(path string, v object) {
		m.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { answer(w, v) })
	}
	named := object{"pipeline": os.Getenv("PIPELINE"), "model_id": os.Getenv("MODEL_ID"), "version": "0.14.1"}
	say("GET /health", object{"status": "OK"})
	say("GET /version", named)
	say("GET /hardware/info", object{"gpu_info": object{}})
	say("POST /llm", object{
		"id": "chatcmpl-hostile", "model": os.Getenv("MODEL_ID"), "created": 1,
		"usage": object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
		"choices": []object{{
			"index": 0, "finish_reason": "stop", "message": object{"role": "assistant", "content": "hi"},
		}},
	})
	m.HandleFunc("POST /__try", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		answer(w, attempt(q.Get("what"), q.Get("target")))
	})
	return m
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
