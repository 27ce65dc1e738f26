package dev.assay.harness;

import java.util.LinkedHashMap;
import java.util.Map;

/** Requests that are refused, and the state of the answer. */
final class Refusals {
  private Refusals() {
  }

  static Map<String, String> cases() {
    Map<String, String> cases = new LinkedHashMap<>();
    cases.put("{'id':3,'do':'dance'}", "unsupported");
    cases.put("{'id':3,'do':'hello','protocol':'assay.dev/driver/v2'}", "unsupported");
    cases.put("{'id':3,'do':'close','connection':'x'}", "failed");
    cases.put("{'id':3,'do':'prepare','connection':'c','driver':'null'}", "failed");
    cases.put("{'id':3,'do':'prepare','connection':'x','driver':'odbc'}", "unsupported");
    cases.put("{'id':3,'do':'prepare','connection':'x','driver':'null','version':'2'}", "unsupported");
    cases.put("{'id':3,'do':'prepare','connection':'x','driver':'null','options':{'a':'b'}}", "unsupported");
    cases.put("{'id':3,'do':'prepare','connection':'x','driver':'null','tls':'Preferred'}", "unsupported");
    cases.put("{'id':3,'do':'prepare','connection':'x','driver':'mysql-connector-j','host':'127.0.0.1','port':1}", "failed");
    cases.put("{'id':3,'do':'prepare','connection':'x','driver':'mariadb-java-client','host':'127.0.0.1','port':1}",
        "failed");
    cases.put("{'id':3,'do':'data','name':'d','rows':[[true]]}", "unsupported");
    cases.put("{'id':3,'do':'data','name':'d','rows':[[99999999999999999999]]}", "failed");
    cases.put("{'id':3,'do':'data','name':'d'}", "failed");
    cases.put("{'do':'close','id':3,'surprise':1}", "failed");
    String single = "'kind':'Execute','scheme':'SingleRow',";
    run(cases, single + "'statement':'DO 1'", "failed");
    run(cases, single + "'statement':'DO 1','operations':1,'seconds':1", "failed");
    run(cases, single + "'statement':'DO 1','operations':1.5", "failed");
    run(cases, single + "'statement':'DO ?','operations':1", "failed");
    run(cases, single + "'statement':'DO ?','operations':1,'data':'x','rowsPerOperation':1", "failed");
    run(cases, single + "'statement':'DO ?','operations':1,'data':'d','rowsPerOperation':1", "failed");
    run(cases, single + "'statement':'DO ?,?','operations':1,'data':'d'", "failed");
    run(cases, single + "'session':'Shared','statement':'DO 1','operations':1", "unsupported");
    run(cases, single + "'transaction':'Two','statement':'DO 1','operations':1", "unsupported");
    run(cases, "'kind':'Execute','scheme':'Telepathy','statement':'DO 1','operations':1", "unsupported");
    run(cases, "'kind':'Execute','scheme':'Batch','statement':'DO 1','operations':1", "unsupported");
    String rows = "'statement':'DO ?,?','operations':1,'data':'d','rowsPerOperation':1";
    run(cases, "'kind':'Execute','scheme':'MultiRow'," + rows, "failed");
    run(cases, "'kind':'Execute','scheme':'MultiRow','chunk':1," + rows, "unsupported");
    run(cases, "'kind':'Execute','scheme':'Batch','inline':true," + rows, "unsupported");
    run(cases, "'kind':'Query','scheme':'Batch'," + rows, "unsupported");
    run(cases, "'kind':'Guess','operations':1", "unsupported");
    return cases;
  }

  private static void run(Map<String, String> cases, String rest, String want) {
    cases.put("{'id':3,'do':'run','connection':'c'," + rest + "}", want);
  }
}
