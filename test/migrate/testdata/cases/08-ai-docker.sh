docker run \
    --name livepeer_ai_orchestrator \
    -v ~/.lpData/:/home/livepeer/.lpData/ \
    -v /var/run/docker.sock:/var/run/docker.sock \
    --network host \
    --gpus all \
    livepeer/go-livepeer:v0.8.0 \
    -orchestrator \
    -aiWorker \
    -aiModels /home/livepeer/.lpData/aiModels.json \
    -aiModelsDir /home/livepeer/.lpData/models \
    -aiRunnerImage livepeer/ai-runner:latest \
    -aiServiceRegistry \
    -serviceAddr 0.0.0.0:8936 \
    -network offchain \
    -v 6 \
    -nvidia "all"
