// Sends the values of the table with Apache XML-RPC: java Send.java VARIANT.

import java.net.HttpURLConnection;
import java.net.URL;
import java.util.Arrays;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.xmlrpc.XmlRpcException;
import org.apache.xmlrpc.client.XmlRpcClient;
import org.apache.xmlrpc.client.XmlRpcClientConfigImpl;
import org.apache.xmlrpc.client.XmlRpcSunHttpTransport;
import org.apache.xmlrpc.client.XmlRpcSunHttpTransportFactory;

public class Send {
    static final XmlRpcClient client = new XmlRpcClient();
    static final String list = System.getenv("MAIL_LIST");
    static String currentCase;

    public static void main(String[] args) throws Exception {
        XmlRpcClientConfigImpl config = new XmlRpcClientConfigImpl();
        config.setServerURL(new URL(System.getenv("MAIL_URL") + "/xmlrpc"));
        config.setEnabledForExtensions(args[0].equals("extensions"));
        client.setConfig(config);
        client.setTransportFactory(new XmlRpcSunHttpTransportFactory(client) {
            @Override
            public org.apache.xmlrpc.client.XmlRpcTransport getTransport() {
                return new XmlRpcSunHttpTransport(client) {
                    @Override
                    protected java.net.URLConnection newURLConnection(URL url) throws java.io.IOException {
                        HttpURLConnection connection = (HttpURLConnection) super.newURLConnection(url);
                        connection.setRequestProperty("X-Case", currentCase);
                        return connection;
                    }
                };
            }
        });

        subscribe("umlaut", Map.of("FNAME", "ä"));
        subscribe("cjk", Map.of("FNAME", "日本"));
        subscribe("emoji", Map.of("FNAME", "😀"));
        subscribe("quote", Map.of("FNAME", "O’Hara"));
        subscribe("word", Map.of("FNAME", "O\u0092Hara"));
        subscribe("empty", Map.of("FNAME", ""));
        Map<String, Object> none = new HashMap<>();
        none.put("FNAME", null);
        subscribe("null", none);
        subscribe("date", Map.of("BDAY", new GregorianCalendar(2015, 11, 25).getTime()));
        subscribe("digits", Map.of("NUMBER", "00123"));
        subscribe("int", Map.of("NUMBER", 123));
        subscribe("double", Map.of("NUMBER", 123.0));
        subscribe("bytes", Map.of("FNAME", "ä".getBytes("UTF-8")));
        call("boolean", "listCreate", Map.of("title", "Boolean", "options", Map.of("has_email_type_option", false)));
        List<Map<String, String>> rows = List.of(
            Map.of("EMAIL", "row1@client.example", "FNAME", "ä"), Map.of("EMAIL", "row2@client.example", "FNAME", "日本"));
        batch("nested", rows);
        batch("gaps", Map.of("17", rows.get(0), "42", rows.get(1)));
    }

    static void subscribe(String name, Map<String, Object> vars) {
        call(name, "listSubscribe", Map.of("id", list, "email_address", name + "@client.example", "merge_vars", vars,
            "double_optin", false, "update_existing", true));
    }

    static void batch(String name, Object rows) {
        call(name, "listBatchSubscribe", Map.of("id", list, "batch", rows, "double_optin", false, "update_existing", true));
    }

    /** What the client cannot send is passed over. */
    static void call(String name, String method, Map<String, Object> given) {
        currentCase = name;
        Map<String, Object> params = new HashMap<>(given);
        params.put("apikey", System.getenv("MAIL_KEY"));
        try {
            client.execute(method, Arrays.asList(params));
        } catch (XmlRpcException e) {
            System.out.println(name + ": " + e.getMessage());
        }
    }
}
