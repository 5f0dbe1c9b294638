hiersearch fit abci nowhere.json
