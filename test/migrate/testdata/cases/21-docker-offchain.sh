docker run --rm -p 8935:8935 livepeer/go-livepeer -orchestrator -transcoder -serviceAddr 127.0.0.1:8935 -cliAddr 127.0.0.1:7935 -maxSessions 5 -v 99
