// The nightly run of the Jenkinsfile for many thousands of resources: four agents read one shard each, and one reports on all
// of them. Replace the stage `Drift` with both stages; services(), repository() and judge() are the Jenkinsfile's.
        stage('Shards') {
            when {
                beforeAgent true
                branch 'main'
                triggeredBy 'TimerTrigger'
            }
            matrix {
                agent { label 'node-24' }
                options { timeout(time: 1, unit: 'HOURS') }
                axes {
                    axis {
                        name 'SHARD'
                        values '1', '2', '3', '4'
                    }
                }
                stages {
                    stage('Shard') {
                        steps {
                            sh 'npm install --global --prefix "$WORKSPACE_TMP/npm" "setpoint@$VERSION"'
                            withCredentials(repository()) {
                                sh '''
                                    git fetch --quiet --unshallow origin || true
                                    git fetch --quiet origin '+refs/setpoint/*:refs/setpoint/*'
                                '''
                            }
                            // A failed shard does not stop the report: its resources are unknown there.
                            catchError(buildResult: 'SUCCESS', stageResult: 'FAILURE') {
                                withCredentials(services('reader')) {
                                    sh '''
                                        code=0
                                        "$WORKSPACE_TMP/npm/bin/setpoint" drift --base applied --shard "$SHARD/4" \
                                            --report "json=shard-$SHARD.json" --quiet || code=$?
                                        case "$code" in 0 | 2 | 3) ;; *) exit "$code" ;; esac
                                    '''
                                }
                                // The workspace can have files of other shards and other nights.
                                stash name: "shard-${SHARD}", includes: "shard-${SHARD}.json"
                            }
                        }
                    }
                }
            }
        }
        stage('Drift') {
            when {
                beforeAgent true
                branch 'main'
                triggeredBy 'TimerTrigger'
            }
            agent { label 'node-24' }
            options { timeout(time: 1, unit: 'HOURS') }
            steps {
                sh 'npm install --global --prefix "$WORKSPACE_TMP/npm" "setpoint@$VERSION"'
                withCredentials(repository()) {
                    sh '''
                        git fetch --quiet --unshallow origin || true
                        git fetch --quiet origin '+refs/setpoint/*:refs/setpoint/*'
                    '''
                }
                // Last night's files are not this night's: without its file, a shard is missing.
                sh 'rm -f shard-*.json drift.*'
                script {
                    for (String shard : ['1', '2', '3', '4']) {
                        catchError(buildResult: 'SUCCESS', stageResult: 'SUCCESS') { unstash "shard-${shard}" }
                    }
                    int exitCode = 0
                    withCredentials(services('reader')) {
                        exitCode = sh(returnStatus: true, script: '''
                            "$WORKSPACE_TMP/npm/bin/setpoint" report merge \
                                shard-1.json shard-2.json shard-3.json shard-4.json --fail-on drift,conflict,unknown \
                                --history refs/setpoint/history --metrics drift.prom \
                                --report junit=drift.xml --report html=drift.html --publish "wiki=$REPORT_PAGE"
                        ''')
                    }
                    // Failed nights are recorded too.
                    withCredentials(repository()) {
                        sh 'git push --quiet origin refs/setpoint/history'
                    }
                    judge(exitCode)
                }
            }
            post {
                always {
                    junit testResults: 'drift.xml', allowEmptyResults: true
                    archiveArtifacts artifacts: 'drift.*', allowEmptyArchive: true
                }
            }
        }
